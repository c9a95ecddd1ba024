SELECT * FROM ducklake_current_snapshot('l', p => CAST(INTERVAL 3 DAY AS INTERVAL))
