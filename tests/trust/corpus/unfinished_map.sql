SET ducklake_retry_backoff TO map('a',
