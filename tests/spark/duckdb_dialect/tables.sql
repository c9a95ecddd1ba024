-- The tables that the statements read.

CREATE TABLE t AS SELECT * FROM (VALUES
    (1, 'x', 1.5::DECIMAL(4,1), [1, 2], {'a': 1, 'b': 'p'}, true, DATE '2020-01-31', TIMESTAMP '2020-01-31 10:20:30.5'),
    (2, 'yy', 2.5::DECIMAL(4,1), [3, NULL, 1], {'a': 2, 'b': 'q'}, false, DATE '2020-02-29', TIMESTAMP '2020-02-29 23:59:59'),
    (3, NULL, NULL, [], NULL, NULL, NULL, NULL),
    (NULL, 'zebra', -3.5::DECIMAL(4,1), NULL, {'a': NULL, 'b': NULL}, true, DATE '1969-12-31', TIMESTAMP '1969-12-31 12:00:00')
    ) v(a, s, d, l, st, b, dt, ts);

CREATE TABLE u AS SELECT * FROM (VALUES (10, 1, 'one'), (20, 2, 'two'), (30, 9, NULL)) v(Score, a, Label);

CREATE TABLE people AS SELECT * FROM (VALUES
    ('ann', 'eng', 100::BIGINT, 1.5::DOUBLE), ('bob', 'eng', 80, 2.5), ('cid', 'ops', 70, 3.5), ('dee', 'ops', NULL, -2.5),
    ('eve', NULL, 60, NULL)) v(name, team, pay, rate);

CREATE TABLE nums AS SELECT i::INT AS i, (i * 1.5)::DOUBLE AS f, (i % 3)::BIGINT AS g FROM range(-2, 8) r(i);

CREATE TABLE pairs AS SELECT MAP {'k': 1, 'j': 2} AS m, MAP {1: 'one'} AS n, 'hello' AS s, [[1], [2, 3]] AS ll, 0 AS zero, 0.0::DOUBLE AS fzero;
