SET ducklake_max_retry_count = INTERVAL 3 DAY
