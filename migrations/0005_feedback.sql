-- What people tell whoever runs this installation, and what went wrong by itself. It is above tenants and outlives them: places are kept as codes.
create table feedback (
  id text collate "C" primary key check (id ~ '^[0-9a-f]{24}$'),
  source text not null check (source in ('console', 'page', 'docs', 'error', 'cli')),
  kind text not null check (kind in ('bug', 'idea', 'question', 'praise', 'error')),
  body text not null check (length(body) between 1 and 4000),
  page text,
  tool text,
  -- The newest of error_references.
  error_ref text,
  -- [{ reference, at }], newest first, at most 20.
  error_references jsonb not null default '[]',
  fingerprint text collate "C",
  tenant_code text,
  client_code text,
  event_code text,
  contact_email text,
  -- The version in which it was last seen.
  app_version text not null,
  count integer not null default 1 check (count > 0),
  first_at timestamptz not null default lanyard_now(),
  last_at timestamptz not null default lanyard_now(),
  status text not null default 'new' check (status in ('new', 'triaged', 'planned', 'fixed', 'declined', 'duplicate')),
  duplicate_of text collate "C" references feedback,
  -- The version that ran when it was marked fixed: seen again in a later one, it was not.
  fixed_in text,
  assignee text,
  revision integer not null default 1,
  updated_at timestamptz not null default lanyard_now(),
  check ((status = 'duplicate') = (duplicate_of is not null)),
  check (duplicate_of <> id)
);
-- One kind of failure is one row for ever, so that it is recognised when it comes back.
create unique index feedback_fingerprint on feedback (fingerprint) where fingerprint is not null;
create index feedback_newest on feedback (last_at desc, id desc);
create index feedback_most on feedback (count desc, id desc);
create index feedback_duplicates on feedback (duplicate_of) where duplicate_of is not null;
-- Being seen once more is no edit: an error that keeps happening must not turn every edit into a conflict.
create trigger feedback_touch before update of kind, status, assignee, duplicate_of on feedback for each row execute function lanyard_touch();

-- What was said about it, and what became of it. The audit log belongs to tenants, so changes of feedback are told here.
create table feedback_notes (
  feedback_id text collate "C" not null references feedback on delete cascade,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  at timestamptz not null default lanyard_now(),
  kind text not null check (kind in ('note', 'change')),
  author text not null,
  body text not null,
  primary key (feedback_id, id)
);
