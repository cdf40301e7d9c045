-- Runs of reports and exports, their recipients, and the client's settings for them.

create table report_runs (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null check (kind in ('report', 'export', 'query')),
  -- The code of the report; null for exports and queries.
  report_code text collate "C",
  name text not null,
  parameters jsonb not null default '{}',
  -- What the run needs beyond its parameters: language, colors, test data, the message of the email, the scope of an export.
  options jsonb not null default '{}',
  format text not null check (format in ('json', 'csv', 'xlsx', 'pdf', 'html', 'zip')),
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'cancelled', 'expired')),
  -- Two requests with the same key, such as one slot of a delivery, are one run.
  source_key text collate "C",
  job_id text collate "C",
  as_of timestamptz,
  rows bigint check (rows >= 0),
  bytes bigint check (bytes >= 0),
  sha256 text collate "C" check (sha256 ~ '^[0-9a-f]{64}$'),
  file_id text collate "C",
  file_name text,
  contains_personal boolean not null default false,
  -- The permissions that opening the file needs.
  needs text[] not null default '{}',
  -- Totals and checks of the tables, or the manifest of an export.
  result jsonb not null default '{}',
  error text,
  requested_by text not null,
  requested_by_name text not null,
  app text not null,
  is_test_data boolean not null default false,
  created_at timestamptz not null default lanyard_now(),
  finished_at timestamptz,
  expires_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  constraint report_runs_report check ((kind = 'report') = (report_code is not null)),
  constraint report_runs_done check (status <> 'done' or (file_id is not null and sha256 is not null and as_of is not null and expires_at is not null))
);
create index report_runs_latest on report_runs (tenant_id, event_id, id desc);
create index report_runs_of_report on report_runs (tenant_id, event_id, report_code, id desc);
create index report_runs_expiring on report_runs (expires_at) where status = 'done';
create unique index report_runs_source on report_runs (tenant_id, event_id, source_key) where source_key is not null;
-- One export of an event runs at a time.
create unique index report_runs_one_export on report_runs (tenant_id, event_id) where kind = 'export' and status in ('queued', 'running');

-- A finished run never changes, except that its file is deleted when it expires.
create function refuse_run_change() returns trigger language plpgsql as $$
begin
  if old.status in ('done', 'expired', 'failed', 'cancelled')
    and (to_jsonb(new) - '{status,file_id}'::text[] <> to_jsonb(old) - '{status,file_id}'::text[]
      or (new.status, new.file_id) is distinct from (old.status, old.file_id) and not (old.status = 'done' and new.status = 'expired' and new.file_id is null)) then
    raise exception 'report_runs: a finished run never changes' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger report_runs_fixed before update on report_runs for each row execute function refuse_run_change();

create table report_run_recipients (
  tenant_id integer not null,
  event_id text collate "C" not null,
  run_id text collate "C" not null,
  id text collate "C" not null,
  email text not null,
  email_norm text collate "C" not null,
  -- The organizer with this address; null for outside addresses, which prove their mailbox with a code.
  user_id text collate "C",
  token_hash bytea,
  -- Why no email was sent.
  refused_reason text,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, run_id, id),
  foreign key (tenant_id, event_id, run_id) references report_runs,
  unique (tenant_id, event_id, run_id, email_norm)
);
create index report_run_recipients_token on report_run_recipients (token_hash) where token_hash is not null;

alter table clients
  add column export_allowed boolean not null default true,
  -- Outside addresses to which reports may be sent.
  add column report_recipients text[] not null default '{}';

-- Reports of up to 10 MB are attached.
alter table message_attachments drop constraint message_attachments_size_check, drop constraint message_attachments_bytes_check,
  add constraint message_attachments_size_check check (size between 0 and 10485760),
  add constraint message_attachments_bytes_check check (octet_length(bytes) <= 10485760);
