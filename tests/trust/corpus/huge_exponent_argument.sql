CALL lake.expire_snapshots(versions => [1e400000000])
