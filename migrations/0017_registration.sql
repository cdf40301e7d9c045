-- People, what they hold, what they owe. Rows of test data never meet real ones: is_test_data is a part of every key between them.

alter table participants
  add column prefix text,
  add column suffix text,
  add column preferred_name text,
  add column pronouns text,
  add column job_title text,
  add column company text,
  add column department text,
  add column bio text,
  add column headshot text,
  add column website text,
  add column linkedin text,
  add column work_phone text,
  add column mobile_phone text,
  add column address1 text,
  add column address2 text,
  add column city text,
  add column region text,
  add column postal_code text,
  add column country text,
  add column language text,
  add column dietary text,
  add column accessibility text,
  add column emergency_name text,
  add column emergency_phone text,
  -- Derived by one statement from what follows and the configuration; kept, because people are found by them.
  add column tags text[] not null default '{}',
  -- What was answered and has no column: policies, lookups, sessions, rooms, what an unfinished registration wants to buy.
  add column answers jsonb not null default '{}',
  add column sharing jsonb not null default '{}',
  add column confirmation_number text collate "C",
  add column badge_id text collate "C",
  add column group_id text collate "C",
  add column group_leader boolean not null default false,
  add column host_id text collate "C",
  add column guest_type text,
  add column source text not null default 'web' check (source in ('web', 'assistant', 'organizer', 'import', 'group', 'rehearsal')),
  add column version_id text collate "C",
  add column completed_at timestamptz,
  add column cancelled_at timestamptz,
  add column cancel_reason text,
  add column substituted_by_id text collate "C",
  add column substitutes_id text collate "C",
  add column import_run_id text collate "C",
  -- Who somebody is, however they wrote it.
  add column name_norm text collate "C" generated always as (btrim(lanyard_searched(first_name, last_name))) stored,
  add column searched text generated always as (
    lanyard_searched(first_name, last_name, preferred_name, email, company, confirmation_number, badge_id)) stored,
  add constraint participants_twin unique (tenant_id, event_id, id, is_test_data),
  add constraint participants_host foreign key (tenant_id, event_id, host_id, is_test_data)
    references participants (tenant_id, event_id, id, is_test_data),
  add constraint participants_no_own_host check (host_id <> id),
  add constraint participants_leader check (not group_leader or group_id is not null),
  add constraint participants_finished check ((status = 'complete') <= (completed_at is not null and confirmation_number is not null)),
  add constraint participants_ended check ((status = 'cancelled') = (cancelled_at is not null));

-- I1. People without a name yet are nobody's twin.
create unique index participants_once on participants (tenant_id, event_id, name_norm, coalesce(email_norm, host_id))
  where status <> 'cancelled' and not is_test_data and first_name is not null and last_name is not null;
create unique index participants_number on participants (tenant_id, event_id, confirmation_number);
create unique index participants_badge on participants (tenant_id, event_id, badge_id);
create index participants_named on participants (tenant_id, event_id, last_name, first_name, id);
create index participants_created on participants (tenant_id, event_id, created_at, id);
create index participants_of_host on participants (tenant_id, event_id, host_id) where host_id is not null;
create index participants_of_group on participants (tenant_id, event_id, group_id) where group_id is not null;
create index participants_of_import on participants (tenant_id, event_id, import_run_id) where import_run_id is not null;
create index participants_searched on participants using gin (searched gin_trgm_ops);
create index participants_tagged on participants using gin (tags);

-- I10. A guest's host is no guest. Whoever has guests does not become one.
create function participants_host_is_no_guest() returns trigger language plpgsql as $$
begin
  if exists (select from participants h where h.tenant_id = new.tenant_id and h.event_id = new.event_id and h.id = new.host_id and h.host_id is not null)
    or exists (select from participants g where g.tenant_id = new.tenant_id and g.event_id = new.event_id and g.host_id = new.id) then
    raise exception 'a guest cannot have guests' using errcode = 'check_violation', constraint = 'participants_host_is_no_guest';
  end if;
  return new;
end $$;
create trigger participants_hosts before insert or update of host_id on participants
for each row when (new.host_id is not null) execute function participants_host_is_no_guest();

-- I2, I15. What is scarce: held and sold are counted here and nowhere else, and only by updates that ask first.
create table inventory (
  tenant_id integer not null,
  event_id text collate "C" not null,
  key text collate "C" not null,
  capacity integer check (capacity >= 0),
  -- What organizers sold beyond capacity, knowingly.
  overage integer not null default 0 check (overage >= 0),
  held integer not null default 0 check (held >= 0),
  sold integer not null default 0 check (sold >= 0),
  primary key (tenant_id, event_id, key),
  foreign key (tenant_id, event_id) references events,
  constraint inventory_not_oversold check (capacity is null or held + sold <= capacity + overage)
) with (fillfactor = 50);

create table holds (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  key text collate "C" not null,
  quantity integer not null check (quantity > 0),
  participant_id text collate "C" not null,
  -- Of an offer to somebody who waits; else of a registration that is being filled in.
  entry_id text collate "C",
  is_test_data boolean not null default false check (not is_test_data),
  status text not null default 'active' check (status in ('active', 'converted', 'released', 'expired')),
  -- Money is on its way: the place is kept until that is known.
  charging boolean not null default false,
  expires_at timestamptz not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, key) references inventory,
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data)
);
create index holds_of_participant on holds (tenant_id, event_id, participant_id) where status = 'active';
create index holds_of_entry on holds (tenant_id, event_id, entry_id) where status = 'active';
create index holds_overdue on holds (tenant_id, event_id, key, expires_at) where status = 'active' and not charging;
create index holds_expiring on holds (expires_at) where status = 'active' and not charging;

-- I6. Numbers without gaps: one row per series, counted in the transaction that uses the number. Taken last, because all wait for it.
create table number_series (
  tenant_id integer not null,
  event_id text collate "C" not null,
  series text collate "C" not null,
  last bigint not null,
  primary key (tenant_id, event_id, series),
  foreign key (tenant_id, event_id) references events
) with (fillfactor = 50);

create table managed_groups (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  kind text not null check (kind in ('company', 'delegation', 'school', 'family', 'other')),
  status text not null default 'open' check (status in ('open', 'closed')),
  max_members integer check (max_members between 1 and 10000),
  member_count integer not null default 0 check (member_count >= 0),
  pay_by text not null check (pay_by in ('group', 'members')),
  tags text[] not null default '{}',
  flow_slug text not null,
  bill_to jsonb not null default '{}',
  room_block_id text collate "C",
  is_test_data boolean not null default false,
  -- Kept for its invoices, under its name; its code is free again.
  deleted_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(name, code)) stored,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id) references events,
  constraint managed_groups_not_overfull check (member_count <= max_members)
);
create unique index managed_groups_code on managed_groups (tenant_id, event_id, code) where deleted_at is null;
create index managed_groups_searched on managed_groups using gin (searched gin_trgm_ops);
create trigger managed_groups_touch before update on managed_groups
for each row when (old.member_count = new.member_count) execute function lanyard_touch();

alter table participants add constraint participants_group foreign key (tenant_id, event_id, group_id, is_test_data)
  references managed_groups (tenant_id, event_id, id, is_test_data);

-- I11. The count of members is kept where it is limited.
create function managed_groups_count() returns trigger language plpgsql as $$
declare
  was text := case when tg_op <> 'INSERT' and old.status <> 'cancelled' then old.group_id end;
  is_now text := case when tg_op <> 'DELETE' and new.status <> 'cancelled' then new.group_id end;
begin
  if was is distinct from is_now then
    update managed_groups set member_count = member_count - 1 where tenant_id = old.tenant_id and event_id = old.event_id and id = was;
    update managed_groups set member_count = member_count + 1 where tenant_id = new.tenant_id and event_id = new.event_id and id = is_now;
  end if;
  return null;
end $$;
create trigger participants_members after insert or delete or update of group_id, status on participants
for each row execute function managed_groups_count();

create table group_admins (
  tenant_id integer not null,
  event_id text collate "C" not null,
  group_id text collate "C" not null,
  email text not null,
  email_norm text collate "C" not null generated always as (lower(email)) stored,
  name text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, group_id, email_norm),
  foreign key (tenant_id, event_id, group_id) references managed_groups
);
create index group_admins_of_email on group_admins (tenant_id, event_id, email_norm);

create table group_invites (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  group_id text collate "C" not null,
  email text not null,
  email_norm text collate "C" not null generated always as (lower(email)) stored,
  name text,
  role text not null check (role in ('admin', 'leader', 'member')),
  token_hash bytea not null,
  status text not null default 'queued' check (status in ('queued', 'sent', 'bounced', 'accepted', 'declined', 'expired', 'revoked')),
  sent_at timestamptz,
  sent_count integer not null default 1,
  expires_at timestamptz not null,
  participant_id text collate "C",
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, token_hash),
  foreign key (tenant_id, event_id, group_id) references managed_groups,
  foreign key (tenant_id, event_id, participant_id) references participants
);
create unique index group_invites_open on group_invites (tenant_id, event_id, group_id, email_norm, role) where status in ('queued', 'sent');

-- One order per participant, group or company, and exactly one of them. Totals and balances are counted by the triggers below.
create table orders (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  number text collate "C" not null,
  external_number text,
  participant_id text collate "C",
  group_id text collate "C",
  company_id text collate "C",
  is_test_data boolean not null default false,
  currency text collate "C" not null,
  bill_to jsonb not null default '{}',
  discount_code text,
  total bigint not null default 0,
  -- Less what was reversed or refunded.
  paid bigint not null default 0,
  balance bigint not null default 0,
  unapplied bigint not null default 0,
  -- Of products, credits taken off.
  units integer not null default 0,
  credited boolean not null default false,
  status text not null generated always as (
    case when credited and units = 0 and total = 0 and paid = 0 then 'void' when balance <= 0 then 'paid' else 'open' end) stored,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  unique (tenant_id, event_id, number),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, group_id, is_test_data) references managed_groups (tenant_id, event_id, id, is_test_data),
  constraint orders_one_owner check (num_nonnulls(participant_id, group_id, company_id) = 1),
  constraint orders_unapplied check (unapplied <= 0)
) with (fillfactor = 70);
create unique index orders_of_participant on orders (tenant_id, event_id, participant_id) where participant_id is not null;
create unique index orders_of_group on orders (tenant_id, event_id, group_id) where group_id is not null;
create unique index orders_of_company on orders (tenant_id, event_id, company_id) where company_id is not null;
create trigger orders_touch before update on orders for each row execute function lanyard_touch();

create table invoices (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  number text collate "C" not null,
  external_number text,
  kind text not null check (kind in ('invoice', 'credit_note')),
  order_id text collate "C" not null,
  is_test_data boolean not null,
  issued_at timestamptz not null default lanyard_now(),
  due_on date not null,
  bill_to jsonb not null,
  net bigint not null,
  tax bigint not null,
  total bigint not null check (total >= 0),
  -- What the entries say, each kind by itself: total - paid - credited - written_off = balance of an invoice.
  paid bigint not null default 0,
  credited bigint not null default 0,
  written_off bigint not null default 0,
  balance bigint not null default 0,
  status text not null default 'paid' check (status in ('open', 'paid', 'written_off', 'void')),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  unique (tenant_id, event_id, number),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  constraint invoices_sum check (total = net + tax),
  constraint invoices_balance check (balance >= 0)
) with (fillfactor = 70);
create index invoices_of_order on invoices (tenant_id, event_id, order_id);
create index invoices_issued on invoices (tenant_id, event_id, issued_at, id);

create table order_lines (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  position integer not null,
  is_test_data boolean not null,
  kind text not null check (kind in ('sale', 'credit', 'fee', 'deposit')),
  product_code text collate "C",
  description text not null,
  quantity integer not null,
  unit_price bigint not null,
  list_amount bigint not null,
  discount bigint not null,
  net bigint not null,
  tax bigint not null,
  total bigint not null,
  tax_code text,
  tax_rate numeric(8, 4) not null default 0,
  tax_inclusive boolean not null default false,
  tax_components jsonb not null default '[]',
  tax_note text,
  -- For whom it is.
  participant_id text collate "C",
  reservation_id text collate "C",
  reverses_line_id text collate "C",
  priced_at timestamptz not null,
  -- Null where there is no money.
  invoice_id text collate "C",
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, order_id, position),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, invoice_id, is_test_data) references invoices (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, reverses_line_id) references order_lines,
  constraint order_lines_sum check (total = net + tax),
  constraint order_lines_signs check (case kind when 'credit' then quantity <= 0 and total <= 0 and reverses_line_id is not null
    else quantity > 0 and total >= 0 and reverses_line_id is null end),
  constraint order_lines_product check ((kind in ('sale', 'credit')) >= (product_code is not null)),
  constraint order_lines_claimed check ((total <> 0) <= (invoice_id is not null))
);
create index order_lines_of_participant on order_lines (tenant_id, event_id, participant_id);
create index order_lines_of_product on order_lines (tenant_id, event_id, product_code, participant_id);
create index order_lines_of_invoice on order_lines (tenant_id, event_id, invoice_id);
create index order_lines_reversing on order_lines (tenant_id, event_id, reverses_line_id) where reverses_line_id is not null;

create function order_lines_count() returns trigger language plpgsql as $$
begin
  update orders set total = total + new.total, units = units + case when new.product_code is null then 0 else new.quantity end,
    credited = credited or new.kind = 'credit'
  where tenant_id = new.tenant_id and event_id = new.event_id and id = new.order_id;
  return null;
end $$;
create trigger order_lines_counted after insert on order_lines for each row execute function order_lines_count();

create table payments (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  invoice_id text collate "C",
  is_test_data boolean not null,
  method text not null check (method in ('card', 'bank', 'cheque', 'cash', 'other')),
  amount bigint not null check (amount > 0),
  -- Refunded or reversed of it.
  returned bigint not null default 0,
  reference text,
  note text,
  receipt_number text collate "C" not null,
  received_at timestamptz not null,
  provider text,
  provider_ref text collate "C",
  recorded_by text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, invoice_id, is_test_data) references invoices (tenant_id, event_id, id, is_test_data),
  constraint payments_returned check (returned between 0 and amount)
);
-- I8. A webhook and the answer to the same charge make one payment.
create unique index payments_of_provider on payments (tenant_id, provider, provider_ref) where provider_ref is not null;
create index payments_of_order on payments (tenant_id, event_id, order_id);
create index payments_receipts on payments (tenant_id, event_id, receipt_number);

create table refunds (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  payment_id text collate "C",
  is_test_data boolean not null,
  amount bigint not null check (amount > 0),
  method text not null check (method in ('card', 'bank', 'cheque', 'cash', 'other')),
  reference text,
  note text,
  receipt_number text collate "C" not null,
  provider text,
  provider_ref text collate "C",
  refunded_at timestamptz not null,
  recorded_by text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, payment_id, is_test_data) references payments (tenant_id, event_id, id, is_test_data)
);
create unique index refunds_of_provider on refunds (tenant_id, provider, provider_ref) where provider_ref is not null;
create index refunds_of_order on refunds (tenant_id, event_id, order_id);

create table payment_reversals (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  payment_id text collate "C" not null,
  is_test_data boolean not null,
  amount bigint not null check (amount > 0),
  note text,
  receipt_number text collate "C" not null,
  recorded_by text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, payment_id, is_test_data) references payments (tenant_id, event_id, id, is_test_data)
);

-- I9. Of one payment, no more goes back than came.
create function payments_return() returns trigger language plpgsql as $$
begin
  update payments set returned = returned + new.amount where tenant_id = new.tenant_id and event_id = new.event_id and id = new.payment_id;
  return null;
end $$;
create trigger refunds_returned after insert on refunds for each row when (new.payment_id is not null) execute function payments_return();
create trigger payment_reversals_returned after insert on payment_reversals for each row execute function payments_return();

create table write_offs (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  invoice_id text collate "C" not null,
  is_test_data boolean not null,
  amount bigint not null check (amount > 0),
  reason text not null,
  written_by text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, invoice_id, is_test_data) references invoices (tenant_id, event_id, id, is_test_data)
);
create index write_offs_of_invoice on write_offs (tenant_id, event_id, invoice_id);

-- I3, I4. Every amount of money is an entry here; balances are their sums, kept by the trigger and held by the checks.
create table ledger_entries (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id bigint generated always as identity,
  order_id text collate "C" not null,
  -- Null: not yet of any invoice.
  invoice_id text collate "C",
  is_test_data boolean not null,
  kind text not null
    check (kind in ('invoice', 'credit_note', 'payment', 'payment_reversal', 'refund', 'write_off', 'write_off_reversal', 'transfer')),
  amount bigint not null check (amount <> 0),
  -- The invoice, credit note, payment, reversal, refund or write-off that it comes from.
  source_id text collate "C" not null,
  reverses_id bigint,
  at timestamptz not null default lanyard_now(),
  by text not null,
  note text,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, invoice_id, is_test_data) references invoices (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, reverses_id) references ledger_entries,
  constraint ledger_entries_sign check (case when kind in ('invoice', 'payment_reversal', 'refund', 'write_off_reversal') then amount > 0
    when kind in ('credit_note', 'payment', 'write_off') then amount < 0 else true end)
);
create index ledger_entries_of_order on ledger_entries (tenant_id, event_id, order_id, id);
create index ledger_entries_of_invoice on ledger_entries (tenant_id, event_id, invoice_id, id) where invoice_id is not null;
create index ledger_entries_of_source on ledger_entries (tenant_id, event_id, source_id);

create function ledger_entries_count() returns trigger language plpgsql as $$
begin
  update invoices i set
    balance = i.balance + new.amount,
    paid = i.paid - case when new.kind in ('payment', 'payment_reversal', 'transfer') then new.amount else 0 end,
    credited = i.credited - case when new.kind = 'credit_note' then new.amount else 0 end,
    written_off = i.written_off - case when new.kind in ('write_off', 'write_off_reversal') then new.amount else 0 end,
    status = case
      when i.balance + new.amount > 0 then 'open'
      when i.credited - case when new.kind = 'credit_note' then new.amount else 0 end = i.total then 'void'
      when new.kind = 'write_off' then 'written_off'
      else 'paid' end
  where i.tenant_id = new.tenant_id and i.event_id = new.event_id and i.id = new.invoice_id;
  update orders set
    balance = balance + new.amount,
    unapplied = unapplied + case when new.invoice_id is null then new.amount else 0 end,
    paid = paid - case when new.kind in ('payment', 'payment_reversal', 'refund') then new.amount else 0 end
  where tenant_id = new.tenant_id and event_id = new.event_id and id = new.order_id;
  return null;
end $$;
create trigger ledger_entries_counted after insert on ledger_entries for each row execute function ledger_entries_count();

-- I5. What was written about money stays written. Its arguments are the columns that may change; rows of test data may go, and those of a
-- tenant that is removed as a whole.
create function lanyard_written_once() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.is_test_data or current_setting('lanyard.removed_tenant', true) = old.tenant_id::text then return old; end if;
    raise exception '% are never deleted', tg_table_name using errcode = 'restrict_violation';
  end if;
  if to_jsonb(new) - tg_argv is distinct from to_jsonb(old) - tg_argv then
    raise exception '% are never changed', tg_table_name using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger ledger_entries_kept before update or delete on ledger_entries for each row execute function lanyard_written_once();
create trigger order_lines_kept before update or delete on order_lines for each row execute function lanyard_written_once('participant_id');
create trigger payments_kept before update or delete on payments for each row execute function lanyard_written_once('returned');
create trigger refunds_kept before update or delete on refunds for each row execute function lanyard_written_once();
create trigger payment_reversals_kept before update or delete on payment_reversals for each row execute function lanyard_written_once();
create trigger write_offs_kept before update or delete on write_offs for each row execute function lanyard_written_once();
create trigger invoices_kept before update or delete on invoices
for each row execute function lanyard_written_once('balance', 'status', 'paid', 'credited', 'written_off');
create trigger orders_kept before update or delete on orders
for each row execute function lanyard_written_once('participant_id', 'bill_to', 'discount_code', 'total', 'paid', 'balance', 'unapplied', 'units',
  'credited', 'status', 'revision', 'updated_at');

create table waitlist_entries (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  target text collate "C" not null,
  quantity integer not null default 1 check (quantity > 0),
  position bigint not null,
  status text not null default 'waiting' check (status in ('waiting', 'offered', 'promoted', 'removed')),
  offered_until timestamptz,
  -- A price that was promised on joining.
  priced_at timestamptz,
  reason text,
  joined_at timestamptz not null default lanyard_now(),
  ended_at timestamptz,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  constraint waitlist_entries_offer check ((status = 'offered') = (offered_until is not null))
);
create unique index waitlist_entries_once on waitlist_entries (tenant_id, event_id, participant_id, target) where status in ('waiting', 'offered');
create index waitlist_entries_line on waitlist_entries (tenant_id, event_id, target, position) where status in ('waiting', 'offered');
create index waitlist_entries_expiring on waitlist_entries (offered_until) where status = 'offered';
alter table holds add foreign key (tenant_id, event_id, entry_id, is_test_data)
  references waitlist_entries (tenant_id, event_id, id, is_test_data);

-- I12. An offer is a place that is held, at the end of every transaction. Test entries hold none.
create function waitlist_entries_hold() returns trigger language plpgsql as $$
declare
  entry text := case when tg_table_name = 'holds' then to_jsonb(new) ->> 'entry_id' else to_jsonb(new) ->> 'id' end;
begin
  if exists (
    select from waitlist_entries w where w.tenant_id = new.tenant_id and w.event_id = new.event_id and w.id = entry and not w.is_test_data
      and (w.status = 'offered') <> exists (
        select from holds h where h.tenant_id = w.tenant_id and h.event_id = w.event_id and h.entry_id = w.id and h.status = 'active'
          and (w.status = 'offered' or not h.charging))) then
    raise exception 'an offer and its hold go together' using errcode = 'check_violation', constraint = 'waitlist_entries_hold';
  end if;
  return null;
end $$;
create constraint trigger waitlist_entries_held after insert or update on waitlist_entries deferrable initially deferred
for each row execute function waitlist_entries_hold();
create constraint trigger holds_offered after insert or update on holds deferrable initially deferred
for each row when (new.entry_id is not null) execute function waitlist_entries_hold();

create table saved_cards (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  provider text not null,
  customer_ref text not null,
  method_ref text not null,
  brand text,
  last4 text,
  expires text,
  consent_at timestamptz,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data)
);
create index saved_cards_of_participant on saved_cards (tenant_id, event_id, participant_id);

-- An attempt at a card. A payment is written only when it succeeded.
create table charges (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  participant_id text collate "C" not null,
  order_id text collate "C",
  invoice_id text collate "C",
  entry_id text collate "C",
  is_test_data boolean not null,
  purpose text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'unknown')),
  provider text not null,
  provider_ref text collate "C",
  failure_code text,
  attempts integer not null default 0,
  created_at timestamptz not null default lanyard_now(),
  settled_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, order_id, is_test_data) references orders (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, invoice_id, is_test_data) references invoices (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, entry_id, is_test_data) references waitlist_entries (tenant_id, event_id, id, is_test_data)
);
create unique index charges_of_provider on charges (tenant_id, provider, provider_ref) where provider_ref is not null;
create unique index charges_once_per_entry on charges (tenant_id, event_id, entry_id) where entry_id is not null and status <> 'failed';
create index charges_unsettled on charges (tenant_id, event_id) where status in ('pending', 'unknown');

create table invite_list_entries (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  flow_slug text collate "C" not null,
  email text not null,
  email_norm text collate "C" not null generated always as (lower(email)) stored,
  first_name text,
  last_name text,
  company text,
  tags text[] not null default '{}',
  token_hash bytea not null,
  status text not null default 'invited' check (status in ('invited', 'opened', 'registered', 'declined', 'removed')),
  participant_id text collate "C",
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, flow_slug, email_norm),
  unique (tenant_id, token_hash),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, participant_id) references participants
);

create table flow_visits (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  flow_slug text collate "C" not null,
  version_id text collate "C",
  participant_id text collate "C",
  is_test_data boolean not null default false,
  device text not null check (device in ('desktop', 'mobile', 'assistant', 'organizer')),
  utm jsonb not null default '{}',
  pages jsonb not null default '[]',
  outcome text check (outcome in ('completed', 'waitlisted')),
  started_at timestamptz not null default lanyard_now(),
  last_seen_at timestamptz not null default lanyard_now(),
  completed_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data)
);
create index flow_visits_of_flow on flow_visits (tenant_id, event_id, flow_slug, started_at);
create index flow_visits_of_participant on flow_visits (tenant_id, event_id, participant_id);

-- Places are taken by the functions below and by nothing else. Keys are taken in their order, all or none; whoever is told that a key is
-- full was told so after overdue holds on it had been ended.

-- Gives places back; what was sold beyond capacity goes first.
create function inventory_free(tenant integer, event text, freed jsonb, from_held boolean) returns void language plpgsql as $$
declare
  f record;
begin
  for f in select t.key, sum(t.quantity)::int as quantity from jsonb_to_recordset(freed) as t(key text, quantity integer) group by t.key order by t.key collate "C" loop
    update inventory i set
      held = i.held - case when from_held then f.quantity else 0 end,
      sold = i.sold - case when from_held then 0 else f.quantity end,
      overage = greatest(0, i.overage - f.quantity)
    where i.tenant_id = tenant and i.event_id = event and i.key = f.key;
  end loop;
end $$;

-- Ends the holds of a registration, or of an offer, and gives back what they held.
create function holds_end(tenant integer, event text, participant text, entry text, becomes text) returns integer language plpgsql as $$
declare
  freed jsonb;
begin
  perform from inventory i where i.tenant_id = tenant and i.event_id = event and i.key in (
    select h.key from holds h where h.tenant_id = tenant and h.event_id = event and h.status = 'active'
      and h.participant_id = participant and h.entry_id is not distinct from entry)
  order by i.key for no key update;
  with ended as (
    update holds h set status = becomes where h.tenant_id = tenant and h.event_id = event and h.status = 'active'
      and h.participant_id = participant and h.entry_id is not distinct from entry
    returning h.key, h.quantity)
  select jsonb_agg(ended) into freed from ended;
  if freed is null then return 0; end if;
  perform inventory_free(tenant, event, freed, true);
  return jsonb_array_length(freed);
end $$;

-- Overdue holds on a key, and the offers they belonged to; true when there were any.
create function holds_expire(tenant integer, event text, full_key text) returns boolean language plpgsql as $$
declare
  overdue record;
  any_ended boolean := false;
begin
  perform from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = full_key for no key update;
  for overdue in
    select distinct h.participant_id, h.entry_id from holds h where h.tenant_id = tenant and h.event_id = event and h.key = full_key
      and h.status = 'active' and not h.charging and h.expires_at <= lanyard_now() order by 1, 2 loop
    update waitlist_entries w set status = 'removed', offered_until = null, reason = 'offer_expired', ended_at = lanyard_now()
    where w.tenant_id = tenant and w.event_id = event and w.id = overdue.entry_id and w.status = 'offered';
    any_ended := holds_end(tenant, event, overdue.participant_id, overdue.entry_id, 'expired') > 0 or any_ended;
  end loop;
  return any_ended;
end $$;

-- Sells or holds. `wanted` is [{ key, quantity }]; what the registration or offer holds already is used first, and what it no longer wants is
-- given back. Returns the first key that is full, and then has changed nothing.
create function inventory_take(
  tenant integer, event text, participant text, entry text, wanted jsonb, sells boolean, beyond_capacity boolean, until timestamptz
) returns text language plpgsql as $$
declare
  w record;
  own integer;
begin
  -- A block of its own: what it did is undone when a key is full.
  begin
    for w in
      select k.key, sum(k.quantity)::int as quantity from (
        select t.key, t.quantity from jsonb_to_recordset(wanted) as t(key text, quantity integer)
        union all
        select h.key, 0 from holds h where h.tenant_id = tenant and h.event_id = event and h.participant_id = participant
          and h.entry_id is not distinct from entry and h.status = 'active') k
      group by k.key order by k.key collate "C" loop
      loop
        own := coalesce((select sum(h.quantity) from holds h where h.tenant_id = tenant and h.event_id = event and h.participant_id = participant
          and h.entry_id is not distinct from entry and h.key = w.key and h.status = 'active'), 0);
        update inventory i set
          held = i.held - own + case when sells then 0 else w.quantity end,
          sold = i.sold + case when sells then w.quantity else 0 end,
          overage = case when beyond_capacity and i.capacity is not null
            then greatest(i.overage, i.held - own + i.sold + w.quantity - i.capacity)
            else greatest(0, i.overage - greatest(0, own - w.quantity)) end
        where i.tenant_id = tenant and i.event_id = event and i.key = w.key
          and (i.capacity is null or beyond_capacity or w.quantity <= own or i.held - own + i.sold + w.quantity <= i.capacity + i.overage);
        exit when found;
        if not exists (select from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = w.key) then
          raise exception 'no inventory of %', w.key using errcode = 'LY002';
        end if;
        if not holds_expire(tenant, event, w.key) then
          raise exception using errcode = 'LY001', message = w.key;
        end if;
      end loop;
      if own > 0 then
        update holds h set status = case when sells and w.quantity > 0 then 'converted' else 'released' end
        where h.tenant_id = tenant and h.event_id = event and h.participant_id = participant and h.entry_id is not distinct from entry
          and h.key = w.key and h.status = 'active';
      end if;
      if not sells and w.quantity > 0 then
        insert into holds (tenant_id, event_id, id, key, quantity, participant_id, entry_id, expires_at)
        values (tenant, event, left(replace(gen_random_uuid()::text, '-', ''), 24), w.key, w.quantity, participant, entry, until);
      end if;
    end loop;
  exception when sqlstate 'LY001' then
    return sqlerrm;
  end;
  return null;
end $$;
