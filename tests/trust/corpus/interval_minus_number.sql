SET ducklake_max_retry_count = INTERVAL '1' DAY - 00
