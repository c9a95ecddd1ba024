CALL lake.fork_catalog('x', version => -'N')
