"""The one Spark of a test process, whoever starts it."""

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1536m",
    "spark.sql.shuffle.partitions": "4",
    # For programs that do much once: the second compiler of the JVM costs more than it gains. They compile so much that
    # the usual room for code is soon full, and what is in use would be thrown out and compiled anew.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=512m",
}
