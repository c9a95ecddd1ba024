FORK CATALOG lake AS x AT (TIMESTAMP => now() + 'x')
