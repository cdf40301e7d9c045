-- The files of a version of a rooming list. A job stores them once the version is committed; versions made before this migration have none.
alter table rooming_lists
  add column xlsx_file_id text collate "C",
  add column csv_file_id text collate "C",
  add constraint rooming_lists_files check ((xlsx_file_id is null) = (csv_file_id is null));
