-- Sourcing: from a need to a signed contract. Suppliers and rubric templates belong to a client, everything else to an event.
alter table clients add column sourcing jsonb not null default '{}';

-- Numbers of RFPs and contracts have four digits.
create function number_take(tenant integer, event text, of_series text, written_before text, digits integer) returns text language sql as $$
  insert into number_series as s (tenant_id, event_id, series, last) values (tenant, event, of_series, 1)
  on conflict (tenant_id, event_id, series) do update set last = s.last + 1
  returning written_before || case when length(s.last::text) < digits then lpad(s.last::text, digits, '0') else s.last::text end $$;

create table briefs (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  title text not null,
  status text not null default 'open' check (status in ('open', 'locked', 'archived')),
  -- Answers by the code of their question. Answers to questions that no longer apply are kept.
  answers jsonb not null default '{}',
  -- Codes of optional questions that are not asked again.
  skipped text[] not null default '{}',
  -- The number of the latest locked version; 0 before the first.
  version integer not null default 0 check (version >= 0),
  locked_hash text collate "C" check (locked_hash ~ '^[0-9a-f]{64}$'),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  constraint briefs_locked check (status <> 'locked' or (version > 0 and locked_hash is not null))
);
create trigger briefs_touch before update on briefs for each row execute function lanyard_touch();

create table brief_versions (
  tenant_id integer not null,
  event_id text collate "C" not null,
  brief_id text collate "C" not null,
  version integer not null check (version > 0),
  title text not null,
  -- The answers that applied when the brief was locked.
  answers jsonb not null,
  hash text collate "C" not null check (hash ~ '^[0-9a-f]{64}$'),
  locked_by text not null,
  locked_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, brief_id, version),
  foreign key (tenant_id, event_id, brief_id) references briefs
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('lanyard.removed_tenant', true) = old.tenant_id::text then return old; end if;
  raise exception '% of % is refused: its rows never change', lower(tg_op), tg_table_name using errcode = 'check_violation';
end $$;
create trigger brief_versions_fixed before update on brief_versions for each row execute function refuse_change();

create table suppliers (
  tenant_id integer not null,
  client_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  name text not null,
  kind text not null check (kind in ('hotel', 'venue', 'av', 'catering', 'transport', 'other')),
  status text not null default 'unverified' check (status in ('unverified', 'verified', 'blocked')),
  -- [{ name?, email?, phone?, role? }], the first is written to.
  contacts jsonb not null default '[]',
  -- { street?, postalCode?, city?, region?, country? }
  address jsonb not null default '{}',
  latitude double precision check (latitude between -90 and 90),
  longitude double precision check (longitude between -180 and 180),
  website text,
  chain text,
  stars numeric(2, 1) check (stars between 0 and 7),
  sleeping_rooms integer check (sleeping_rooms >= 0),
  -- [{ name, areaSqm?, capacity: { theater?, … } }]
  meeting_rooms jsonb not null default '[]',
  total_meeting_sqm double precision check (total_meeting_sqm >= 0),
  amenities text[] not null default '{}',
  -- [{ kind: typed|page|catalog|provider, ref, at }]
  sources jsonb not null default '[]',
  catalog_ref text collate "C",
  note text,
  -- RFPs received, RFPs responded to, awards.
  rfps integer not null default 0 check (rfps >= 0),
  responses integer not null default 0 check (responses >= 0),
  awards integer not null default 0 check (awards >= 0),
  -- Normalised name, country, and postal code or city: equal for one supplier written in two ways.
  identity text collate "C" not null,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(name, chain, address ->> 'city', address ->> 'country', website)) stored,
  primary key (tenant_id, client_id, id),
  foreign key (tenant_id, client_id) references clients,
  constraint suppliers_point check ((latitude is null) = (longitude is null))
);
create unique index suppliers_identity on suppliers (tenant_id, client_id, identity);
create unique index suppliers_catalog_ref on suppliers (tenant_id, client_id, catalog_ref) where catalog_ref is not null;
create index suppliers_searched on suppliers using gin (searched gin_trgm_ops);
create index suppliers_latitude on suppliers (tenant_id, client_id, latitude) where latitude is not null;
create index suppliers_by_name on suppliers (tenant_id, client_id, name, id);
create trigger suppliers_touch before update on suppliers for each row execute function lanyard_touch('searched');

create table rfps (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  number text collate "C" not null,
  client_id text collate "C" not null,
  brief_id text collate "C" not null,
  brief_version integer not null,
  title text not null,
  -- The answers of the locked brief.
  requirements jsonb not null,
  -- [{ arrival, departure }], the first is preferred.
  date_options jsonb not null check (jsonb_array_length(date_options) between 1 and 13),
  questions jsonb not null default '[]',
  attachments text[] not null default '{}',
  sealed boolean not null default true,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  questions_due_at timestamptz not null,
  response_due_at timestamptz not null,
  decision_on date not null,
  -- A copy of the rubric: { rubricId?, name, criteria[] }.
  rubric jsonb,
  -- The time of the first submission, for an RFP that is not sealed.
  first_submitted_at timestamptz,
  -- Counts distributions; responses belong to the round in which they were submitted.
  round integer not null default 0 check (round >= 0),
  status text not null default 'draft' check (status in ('draft', 'distributed', 'closed', 'awarded', 'cancelled')),
  distributed_at timestamptz,
  cancelled_reason text,
  -- Reminders that were sent: days before the due time.
  reminded text[] not null default '{}',
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id, brief_id, brief_version) references brief_versions,
  constraint rfps_times check (questions_due_at <= response_due_at),
  constraint rfps_distributed check (status in ('draft', 'cancelled') or distributed_at is not null)
);
create unique index rfps_number on rfps (tenant_id, event_id, number);
create index rfps_of_brief on rfps (tenant_id, event_id, brief_id);
create index rfps_due on rfps (response_due_at) where status = 'distributed';
create trigger rfps_touch before update on rfps for each row execute function lanyard_touch();

create table rfp_recipients (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  rfp_id text collate "C" not null,
  client_id text collate "C" not null,
  supplier_id text collate "C" not null,
  contact_name text,
  contact_email text not null,
  status text not null default 'notSent' check (status in ('notSent', 'sent', 'opened', 'acknowledged', 'inProgress', 'submitted',
    'turnedDown', 'withdrawn', 'bounced', 'noResponse', 'declined', 'awarded')),
  -- Why the supplier turned the RFP down, or why we declined.
  reason text,
  sent_at timestamptz,
  opened_at timestamptz,
  submitted_at timestamptz,
  -- The supplier's unfinished response by date option.
  draft jsonb not null default '{}',
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, rfp_id) references rfps,
  foreign key (tenant_id, client_id, supplier_id) references suppliers,
  constraint rfp_recipients_sent check (status = 'notSent' or sent_at is not null)
);
create unique index rfp_recipients_supplier on rfp_recipients (tenant_id, event_id, rfp_id, supplier_id);
create index rfp_recipients_of_supplier on rfp_recipients (tenant_id, client_id, supplier_id);
create trigger rfp_recipients_touch before update on rfp_recipients for each row execute function lanyard_touch();

-- Questions of a supplier to the organizer, and of the organizer to suppliers.
create table rfp_questions (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  rfp_id text collate "C" not null,
  asked_by text not null check (asked_by in ('supplier', 'organizer')),
  -- The supplier who asks.
  recipient_id text collate "C",
  -- The suppliers whom the organizer asks; null: all, later ones too.
  recipient_ids text[],
  body text not null,
  shared_with text not null default 'one' check (shared_with in ('all', 'one')),
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, rfp_id) references rfps,
  foreign key (tenant_id, event_id, recipient_id) references rfp_recipients,
  constraint rfp_questions_asker check ((asked_by = 'supplier') = (recipient_id is not null))
);
create index rfp_questions_of_rfp on rfp_questions (tenant_id, event_id, rfp_id);

create table rfp_answers (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  question_id text collate "C" not null,
  -- The supplier who answers; null: the organizer.
  recipient_id text collate "C",
  body text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, question_id) references rfp_questions,
  foreign key (tenant_id, event_id, recipient_id) references rfp_recipients
);
create index rfp_answers_of_question on rfp_answers (tenant_id, event_id, question_id);

create table rfp_responses (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  rfp_id text collate "C" not null,
  recipient_id text collate "C" not null,
  supplier_id text collate "C" not null,
  -- Index of the date option.
  date_option integer not null check (date_option between 0 and 12),
  round integer not null check (round > 0),
  -- The offer, with amounts in minor units of its currency.
  content jsonb not null,
  source text not null check (source in ('portal', 'console')),
  submitted_at timestamptz not null default lanyard_now(),
  withdrawn_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, rfp_id) references rfps,
  foreign key (tenant_id, event_id, recipient_id) references rfp_recipients
);
create unique index rfp_responses_round on rfp_responses (tenant_id, event_id, recipient_id, date_option, round);
create index rfp_responses_of_rfp on rfp_responses (tenant_id, event_id, rfp_id);
-- A submitted response is fixed; it can only be withdrawn.
create function refuse_response_change() returns trigger language plpgsql as $$
begin
  if new.content is distinct from old.content or new.submitted_at is distinct from old.submitted_at
    or (new.recipient_id, new.date_option, new.round, new.source) is distinct from (old.recipient_id, old.date_option, old.round, old.source)
  then raise exception 'a submitted response never changes' using errcode = 'check_violation'; end if;
  return new;
end $$;
create trigger rfp_responses_fixed before update on rfp_responses for each row execute function refuse_response_change();

create table scoring_rubrics (
  tenant_id integer not null,
  client_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  name text not null,
  criteria jsonb not null,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, client_id, id),
  foreign key (tenant_id, client_id) references clients
);
create trigger scoring_rubrics_touch before update on scoring_rubrics for each row execute function lanyard_touch();

create table response_scores (
  tenant_id integer not null,
  event_id text collate "C" not null,
  response_id text collate "C" not null,
  criterion text collate "C" not null,
  -- The user who scores.
  evaluator text collate "C" not null,
  score numeric(2, 1) not null check (score between 0 and 5 and score * 2 = trunc(score * 2)),
  note text,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, response_id, criterion, evaluator),
  foreign key (tenant_id, event_id, response_id) references rfp_responses
);

create table awards (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  rfp_id text collate "C" not null,
  -- [{ responseId, supplierId, share: [{ night, rooms }] }]
  lines jsonb not null check (jsonb_array_length(lines) between 1 and 10),
  -- Gross, in minor units.
  total bigint not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  rationale text not null,
  status text not null default 'proposed' check (status in ('proposed', 'executed', 'withdrawn')),
  proposed_by text collate "C" not null,
  executed_by text collate "C",
  executed_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, rfp_id) references rfps,
  constraint awards_executed check ((status = 'executed') = (executed_by is not null))
);
create unique index awards_live on awards (tenant_id, event_id, rfp_id) where status in ('proposed', 'executed');
create trigger awards_touch before update on awards for each row execute function lanyard_touch();

create table supplier_contracts (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  number text collate "C" not null,
  client_id text collate "C" not null,
  award_id text collate "C" not null,
  line_index integer not null check (line_index >= 0),
  response_id text collate "C" not null,
  supplier_id text collate "C" not null,
  template text not null default 'standard',
  status text not null default 'draft' check (status in ('draft', 'submitted', 'redlinesReceived', 'counterProposed', 'counterApplied',
    'counterSent', 'readyForSignature', 'outForSignature', 'executed')),
  current_version integer not null default 1 check (current_version > 0),
  contact_name text,
  contact_email text,
  due_on date,
  -- The PDF that is signed, and its hash.
  final_file_id text collate "C",
  final_sha256 text collate "C" check (final_sha256 ~ '^[0-9a-f]{64}$'),
  signed_file_id text collate "C",
  executed_on date,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, award_id) references awards,
  foreign key (tenant_id, event_id, response_id) references rfp_responses,
  foreign key (tenant_id, client_id, supplier_id) references suppliers,
  constraint supplier_contracts_final check (status not in ('readyForSignature', 'outForSignature', 'executed') or final_sha256 is not null),
  constraint supplier_contracts_executed check ((status = 'executed') = (executed_on is not null))
);
create unique index supplier_contracts_number on supplier_contracts (tenant_id, event_id, number);
create unique index supplier_contracts_line on supplier_contracts (tenant_id, event_id, award_id, line_index);
create trigger supplier_contracts_touch before update on supplier_contracts for each row execute function lanyard_touch();

create table contract_versions (
  tenant_id integer not null,
  event_id text collate "C" not null,
  contract_id text collate "C" not null,
  n integer not null check (n > 0),
  written_by text not null check (written_by in ('us', 'supplier')),
  -- [{ key, title, body, vars }] in order.
  clauses jsonb not null,
  note text,
  sha256 text collate "C" not null check (sha256 ~ '^[0-9a-f]{64}$'),
  created_by text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, contract_id, n),
  foreign key (tenant_id, event_id, contract_id) references supplier_contracts
);
create trigger contract_versions_fixed before update on contract_versions for each row execute function refuse_change();

create table contract_clauses (
  tenant_id integer not null,
  event_id text collate "C" not null,
  contract_id text collate "C" not null,
  key text collate "C" not null,
  state text not null check (state in ('agreed', 'open', 'countered', 'rejected')),
  risk text not null default 'low' check (risk in ('low', 'medium', 'high')),
  -- A value is past the playbook's limit.
  walk_away boolean not null default false,
  note text,
  primary key (tenant_id, event_id, contract_id, key),
  foreign key (tenant_id, event_id, contract_id) references supplier_contracts
);

create table contract_counters (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  contract_id text collate "C" not null,
  based_on_version integer not null,
  stance text not null check (stance in ('firm', 'balanced', 'close')),
  -- [{ key, action: accept|reject|replace, body?, vars?, why }]
  items jsonb not null,
  method text not null check (method in ('rules', 'model')),
  status text not null default 'draft' check (status in ('draft', 'applied', 'sent', 'discarded')),
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  revision integer not null default 1,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, contract_id) references supplier_contracts
);
create unique index contract_counters_draft on contract_counters (tenant_id, event_id, contract_id) where status = 'draft';
create index contract_counters_of_contract on contract_counters (tenant_id, event_id, contract_id);
create trigger contract_counters_touch before update on contract_counters for each row execute function lanyard_touch();

create table signature_envelopes (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  contract_id text collate "C" not null,
  version_sha256 text collate "C" not null check (version_sha256 ~ '^[0-9a-f]{64}$'),
  document_file_id text collate "C" not null,
  provider text not null check (provider in ('embedded', 'docusign')),
  provider_ref text collate "C",
  status text not null default 'created' check (status in ('created', 'sent', 'delivered', 'completed', 'declined', 'voided', 'expired')),
  message text,
  expires_at timestamptz not null,
  void_reason text,
  certificate_file_id text collate "C",
  reminded integer not null default 0,
  created_by text not null,
  completed_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, contract_id) references supplier_contracts
);
create unique index signature_envelopes_live on signature_envelopes (tenant_id, event_id, contract_id) where status in ('created', 'sent', 'delivered');
create index signature_envelopes_of_ref on signature_envelopes (provider, provider_ref) where provider_ref is not null;
create index signature_envelopes_expiring on signature_envelopes (expires_at) where status in ('created', 'sent', 'delivered');
create trigger signature_envelopes_touch before update on signature_envelopes for each row execute function lanyard_touch();

-- The signed bytes are those hashed: the document of an envelope never changes.
create function refuse_document_change() returns trigger language plpgsql as $$
begin
  if (new.version_sha256, new.document_file_id, new.contract_id) is distinct from (old.version_sha256, old.document_file_id, old.contract_id)
  then raise exception 'the document of an envelope never changes' using errcode = 'check_violation'; end if;
  return new;
end $$;
create trigger signature_envelopes_fixed before update on signature_envelopes for each row execute function refuse_document_change();

create table envelope_signers (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  envelope_id text collate "C" not null,
  name text not null,
  email text not null,
  side text not null check (side in ('client', 'supplier')),
  signing_order integer not null check (signing_order between 1 and 10),
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'viewed', 'signed', 'declined')),
  token_hash bytea,
  -- The emailed code that opens the document.
  code_hash bytea,
  code_expires_at timestamptz,
  code_tries integer not null default 0,
  consented_at timestamptz,
  -- { typed } or { drawn: picture }
  signature jsonb,
  signed_at timestamptz,
  declined_reason text,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, envelope_id) references signature_envelopes,
  constraint envelope_signers_signed check ((status = 'signed') = (signed_at is not null))
);
create index envelope_signers_of_token on envelope_signers (token_hash) where token_hash is not null;
create index envelope_signers_of_envelope on envelope_signers (tenant_id, event_id, envelope_id, signing_order);
create trigger envelope_signers_touch before update on envelope_signers for each row execute function lanyard_touch();

-- The steps of signing. Each row contains the hash of the one before it.
create table signature_steps (
  tenant_id integer not null,
  event_id text collate "C" not null,
  envelope_id text collate "C" not null,
  n integer not null check (n > 0),
  at timestamptz not null,
  actor text not null,
  ip text,
  user_agent text,
  step text not null,
  document_sha256 text collate "C" not null,
  previous_sha256 text collate "C" not null,
  sha256 text collate "C" not null,
  primary key (tenant_id, event_id, envelope_id, n),
  foreign key (tenant_id, event_id, envelope_id) references signature_envelopes
);
create trigger signature_steps_fixed before update or delete on signature_steps for each row execute function refuse_change();

create table milestones (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  contract_id text collate "C" not null,
  code text collate "C" not null,
  due_on date not null,
  clause_key text collate "C" not null,
  -- In minor units of the contract's currency.
  amount_at_risk bigint,
  status text not null default 'upcoming' check (status in ('upcoming', 'due', 'done', 'missed', 'waived')),
  note text,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, contract_id) references supplier_contracts
);
create unique index milestones_once on milestones (tenant_id, event_id, contract_id, code, due_on);
create index milestones_by_day on milestones (tenant_id, event_id, due_on, id);
create trigger milestones_touch before update on milestones for each row execute function lanyard_touch();

-- Links in emails to suppliers. Each opens one RFP or one contract for one recipient; only its hash is stored.
create table supplier_links (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  token_hash bytea not null,
  client_id text collate "C" not null,
  supplier_id text collate "C" not null,
  rfp_recipient_id text collate "C",
  contract_id text collate "C",
  contact_name text,
  contact_email text not null,
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, client_id, supplier_id) references suppliers,
  foreign key (tenant_id, event_id, rfp_recipient_id) references rfp_recipients,
  foreign key (tenant_id, event_id, contract_id) references supplier_contracts,
  constraint supplier_links_record check (num_nonnulls(rfp_recipient_id, contract_id) = 1)
);
create index supplier_links_of_token on supplier_links (token_hash);
create index supplier_links_of_recipient on supplier_links (tenant_id, event_id, rfp_recipient_id) where rfp_recipient_id is not null;
create index supplier_links_of_contract on supplier_links (tenant_id, event_id, contract_id) where contract_id is not null;
create index supplier_links_expired on supplier_links (expires_at);

-- Exchange rates: units of a currency per euro.
create table fx_rates (
  day date not null,
  currency text collate "C" not null check (currency ~ '^[A-Z]{3}$'),
  per_eur numeric not null check (per_eur > 0),
  source text not null check (source in ('ecb', 'file')),
  primary key (currency, day)
);
