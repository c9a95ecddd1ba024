SELECT FROM l...s('')
