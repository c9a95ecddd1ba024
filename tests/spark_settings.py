"""The one Spark of a test process, whoever starts it, and the JVMs of other processes."""

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1536m",
    "spark.sql.shuffle.partitions": "4",
    # The first compiler compiles so much that the usual room for code is soon full, and what is in use would be thrown
    # out and compiled anew.
    "spark.driver.extraJavaOptions": "-XX:ReservedCodeCacheSize=512m",
}
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For programs that do much once: the second compiler of the JVM costs more than it gains."""
ENVIRONMENT = {"SPARK_SUBMIT_OPTS": SHORT_LIVED, "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED}
"""What processes that tests start inherit."""
