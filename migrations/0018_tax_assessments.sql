-- What was taxed wrongly, or will be. Its basis is the draft as it was when somebody asked: later edits do not move what is said about it.
create table tax_assessments (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  job_id text collate "C" not null,
  draft_revision integer not null,
  -- The version that was live then.
  version_id text collate "C",
  as_of date not null,
  basis jsonb not null,
  -- Of the rates that it was made with; another table in the midst of it begins it anew.
  rate_table_version text,
  -- What was counted so far, and of which order last. Gone when it is done.
  tally jsonb,
  last_order_id text collate "C",
  findings jsonb,
  outcome jsonb,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, job_id) references jobs,
  check ((findings is null) = (outcome is null))
);

-- Invoices with a line that a finding is about: so that whoever mends several findings is told how many there are, each counted once.
create table tax_assessment_invoices (
  tenant_id integer not null,
  event_id text collate "C" not null,
  assessment_id text collate "C" not null,
  invoice_id text collate "C" not null,
  findings text[] not null,
  primary key (tenant_id, event_id, assessment_id, invoice_id),
  foreign key (tenant_id, event_id, assessment_id) references tax_assessments
);
