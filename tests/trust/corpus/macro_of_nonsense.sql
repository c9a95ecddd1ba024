CREATE MACRO nonsense() AS 0.@; SELECT nonsense(), x()
