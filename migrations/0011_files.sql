-- What a file is and whose; its bytes are in the file store under <tenant_id>/<id>, and never change.
create table files (
  tenant_id integer not null references tenants,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  client_id text collate "C",
  event_id text collate "C",
  purpose text not null check (length(purpose) between 1 and 40),
  name text not null check (length(name) between 1 and 200),
  -- Told from the bytes, never from what the sender said.
  mime text not null check (length(mime) between 3 and 120),
  size bigint not null check (size >= 0),
  sha256 bytea not null check (length(sha256) = 32),
  -- The record it belongs to, where that is smaller than an event: a participant, a company, a report run.
  owner_kind text check (length(owner_kind) between 1 and 40),
  owner_id text collate "C",
  is_test_data boolean not null default false,
  created_by text not null,
  created_at timestamptz not null default lanyard_now(),
  -- From here on nobody reads it; a day later it is removed with its bytes.
  deleted_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id) references events,
  check ((owner_kind is null) = (owner_id is null)),
  check (event_id is null or client_id is not null)
);
create index files_of_event on files (tenant_id, event_id, purpose, id) where deleted_at is null;
create index files_of_owner on files (tenant_id, owner_kind, owner_id) where owner_id is not null and deleted_at is null;
create index files_by_content on files (tenant_id, event_id, sha256) where deleted_at is null;
create index files_deleted on files (deleted_at) where deleted_at is not null;

-- Bytes that no file claims yet: written down before the first of them is stored, struck out by the transaction that makes the file.
create table file_uploads (
  tenant_id integer not null references tenants,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  started_at timestamptz not null default lanyard_now(),
  -- Being removed: no file may claim them any more.
  swept_at timestamptz,
  primary key (tenant_id, id)
);
create index file_uploads_oldest on file_uploads (started_at);
