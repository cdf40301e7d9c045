-- The import call of a client that is being executed: one at a time. A claim that is not renewed expires, so that a crash blocks the client only for a short time.
create table import_claims (
  tenant_id integer not null,
  client_id text collate "C" not null,
  token text not null,
  tool text not null,
  event_id text collate "C" not null,
  claimed_by_name text not null,
  claimed_at timestamptz not null default lanyard_now(),
  lease_until timestamptz not null,
  primary key (tenant_id, client_id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id) references events on delete cascade
);
