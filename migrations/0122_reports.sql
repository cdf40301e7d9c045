-- Designed reports: pages of widgets that organizers build, and their deliveries by email.

create table reports (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  description text,
  category text,
  visibility text not null default 'event' check (visibility in ('private', 'event')),
  owner_id text collate "C" not null,
  owner_name text not null,
  -- [{ name, type, label, required, default? }]
  parameters jsonb not null default '[]' check (jsonb_typeof(parameters) = 'array' and jsonb_array_length(parameters) <= 20),
  -- A condition of the query language that applies to every widget whose entity has its fields.
  filter jsonb,
  widgets jsonb not null default '[]' check (jsonb_typeof(widgets) = 'array' and jsonb_array_length(widgets) <= 40),
  -- { size, orientation }
  page jsonb not null default '{"size": "A4", "orientation": "portrait"}',
  theme text not null default 'light' check (theme in ('light', 'dark')),
  locale text,
  status text not null default 'active' check (status in ('active', 'archived')),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events
);
create unique index reports_code on reports (tenant_id, event_id, code);
create trigger reports_touch before update on reports for each row execute function lanyard_touch();

-- The delivery of a report: at most one. It has a row of its own, so that sending an email does not change the revision of the report.
create table report_deliveries (
  tenant_id integer not null,
  event_id text collate "C" not null,
  -- The id of the report.
  id text collate "C" not null,
  recipients text[] not null check (cardinality(recipients) between 1 and 50),
  format text not null check (format in ('csv', 'xlsx', 'pdf', 'html')),
  every text not null check (every in ('day', 'week', 'month')),
  -- 1 is Monday.
  weekday integer check (weekday between 1 and 7),
  month_day integer check (month_day between 1 and 31),
  -- HH:MM in the time zone of the event.
  at text collate "C" not null check (at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  until date not null,
  state text not null default 'active' check (state in ('active', 'suspended', 'ended')),
  suspended_reason text,
  -- The user whose permissions the delivery runs with.
  saved_by text collate "C" not null,
  saved_by_name text not null,
  -- The permissions that the content needed when the delivery was saved. The user must keep them.
  needs text[] not null,
  -- The next time to send; null unless the delivery is active.
  next_at timestamptz,
  last_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, id) references reports,
  constraint report_deliveries_weekday check ((every = 'week') = (weekday is not null)),
  constraint report_deliveries_month_day check ((every = 'month') = (month_day is not null)),
  constraint report_deliveries_reason check ((state = 'suspended') = (suspended_reason is not null)),
  constraint report_deliveries_next check ((state = 'active') = (next_at is not null))
);
create index report_deliveries_due on report_deliveries (next_at) where state = 'active';
create trigger report_deliveries_touch before update on report_deliveries for each row execute function lanyard_touch();
