SET ducklake_retry_backoff TO NULL
