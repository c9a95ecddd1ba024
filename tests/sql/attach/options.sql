-- ATTACH needs a catalog, creates it only when told to, and refuses what it does not know
ATTACH '{target}' AS other;
--! CATALOG is required. Please provide CATALOG when attaching the database.
ATTACH '{target}' AS other (CATALOG 'other'{schema});
--! Catalog 'other' does not exist in this DuckLake instance
ATTACH '{target}' AS other (CATALOG 'other', CREATE_IF_NOT_EXISTS true{schema});
ATTACH '{target}' AS other (CATALOG 'other'{schema});
--! A catalog is already attached under the name "other"
ATTACH IF NOT EXISTS '{target}' AS other (CATALOG 'other'{schema});
ATTACH '{target}' AS more (CATALOG 'other', DATA_PATHH 'x'{schema});
--! Unsupported option DATA_PATHH for DuckLake; did you mean DATA_PATH?
ATTACH '{target}' AS more (CATALOG 'other', READ_ONLY 'maybe'{schema});
--! The option READ_ONLY must be true or false
ATTACH '{target}' AS more (CATALOG 'other', ENCRYPTED true{schema});
--! encryption is not implemented
ATTACH '{target}' AS more (CATALOG 'other', ENCRYPTED false, MIGRATE_IF_REQUIRED false{schema});
ATTACH '{target}' AS far (CATALOG 'other', DATA_PATH '/elsewhere/'{schema});
--! does not match existing data path in the catalog
ATTACH '{target}' AS far (CATALOG 'other', DATA_PATH '/elsewhere/', OVERRIDE_DATA_PATH true{schema});
ATTACH '{folder}/nothing.db' AS none (CATALOG 'main');
--! creating a new DuckLake is explicitly disabled
SHOW DATABASES;
--> far
--> lake
--> more
--> other
