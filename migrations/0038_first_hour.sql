-- A copy that other tools make cannot be seen from here: whoever makes one says so, or says once that somebody else does.
create table backups (
  noted_at timestamptz primary key default lanyard_now(),
  how text collate "C" not null check (how in ('made', 'elsewhere'))
);

alter table users add column checklist_hidden_at timestamptz;
