-- What the summary of an event counts, without a look at each of its rows, of which there may be a hundred thousand: whatever changes one
-- leaves a row here of what it adds or takes away. Nobody waits for anybody else to do so, as they would for one row with the sum; what
-- belongs together is added up now and then (`figures_fold`). A figure is always the sum of all of its rows.
create table people_figures (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id bigint generated always as identity,
  is_test_data boolean not null,
  status text not null,
  flow_slug text,
  source text not null,
  tags text[] not null,
  people integer not null,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events
);

create table money_figures (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id bigint generated always as identity,
  is_test_data boolean not null,
  -- Of lines, what was sold; of entries, what became of it.
  origin text not null check (origin in ('line', 'entry')),
  kind text not null,
  product_code text collate "C",
  unapplied boolean not null default false,
  list_amount bigint not null default 0,
  discount bigint not null default 0,
  net bigint not null default 0,
  tax bigint not null default 0,
  total bigint not null,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events
);

create function people_figures_count() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if (old.status, old.flow_slug, old.source, old.tags) is not distinct from (new.status, new.flow_slug, new.source, new.tags) then return null; end if;
  end if;
  if tg_op <> 'INSERT' then
    insert into people_figures (tenant_id, event_id, is_test_data, status, flow_slug, source, tags, people)
    values (old.tenant_id, old.event_id, old.is_test_data, old.status, old.flow_slug, old.source, old.tags, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into people_figures (tenant_id, event_id, is_test_data, status, flow_slug, source, tags, people)
    values (new.tenant_id, new.event_id, new.is_test_data, new.status, new.flow_slug, new.source, new.tags, 1);
  end if;
  return null;
end $$;
create trigger participants_figures after insert or delete or update of status, flow_slug, source, tags on participants
for each row execute function people_figures_count();

-- A credit of a line without a product takes from what that line was, a fee or a deposit; a line that goes may go with what it credits.
create function line_figures_count() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into money_figures (tenant_id, event_id, is_test_data, origin, kind, product_code, list_amount, discount, net, tax, total)
  select l.tenant_id, l.event_id, l.is_test_data, 'line',
    case when l.kind <> 'credit' then l.kind when l.product_code is not null then 'sale' else coalesce(
      (select r.kind from order_lines r where r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.id = l.reverses_line_id),
      (select r.kind from changed r where r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.id = l.reverses_line_id)) end,
    l.product_code, sign * sum(l.list_amount), sign * sum(l.discount), sign * sum(l.net), sign * sum(l.tax), sign * sum(l.total)
  from changed l group by 1, 2, 3, 5, 6;
  return null;
end $$;
create trigger order_lines_figured after insert on order_lines referencing new table as changed
for each statement execute function line_figures_count();
create trigger order_lines_unfigured after delete on order_lines referencing old table as changed
for each statement execute function line_figures_count();

create function entry_figures_count() returns trigger language plpgsql as $$
begin
  insert into money_figures (tenant_id, event_id, is_test_data, origin, kind, unapplied, total)
  select e.tenant_id, e.event_id, e.is_test_data, 'entry', e.kind, e.invoice_id is null, case tg_op when 'INSERT' then 1 else -1 end * sum(e.amount)
  from changed e group by 1, 2, 3, 5, 6;
  return null;
end $$;
create trigger ledger_entries_figured after insert on ledger_entries referencing new table as changed
for each statement execute function entry_figures_count();
create trigger ledger_entries_unfigured after delete on ledger_entries referencing old table as changed
for each statement execute function entry_figures_count();

-- Rows of an event that are counted alike become one. Two who do so at once each take rows that the other has not.
create function figures_fold(tenant integer, event text) returns void language sql as $$
  with gone as (delete from people_figures f where f.tenant_id = tenant and f.event_id = event returning f.*)
  insert into people_figures (tenant_id, event_id, is_test_data, status, flow_slug, source, tags, people)
  select g.tenant_id, g.event_id, g.is_test_data, g.status, g.flow_slug, g.source, g.tags, sum(g.people) from gone g
  group by 1, 2, 3, 4, 5, 6, 7 having sum(g.people) <> 0;
  with gone as (delete from money_figures f where f.tenant_id = tenant and f.event_id = event returning f.*)
  insert into money_figures (tenant_id, event_id, is_test_data, origin, kind, product_code, unapplied, list_amount, discount, net, tax, total)
  select g.tenant_id, g.event_id, g.is_test_data, g.origin, g.kind, g.product_code, g.unapplied, sum(g.list_amount), sum(g.discount), sum(g.net),
    sum(g.tax), sum(g.total)
  from gone g group by 1, 2, 3, 4, 5, 6, 7;
$$;

-- What the figures of an event come to when each row is looked at: for those that were there before the figures, and to see that they are right.
create function people_figures_of(tenant integer, event text)
returns table (is_test_data boolean, status text, flow_slug text, source text, tags text[], people bigint) language sql stable as $$
  select p.is_test_data, p.status, p.flow_slug, p.source, p.tags, count(*) from participants p
  where p.tenant_id = tenant and p.event_id = event group by 1, 2, 3, 4, 5 $$;
create function money_figures_of(tenant integer, event text)
returns table (is_test_data boolean, origin text, kind text, product_code text, unapplied boolean,
  list_amount numeric, discount numeric, net numeric, tax numeric, total numeric) language sql stable as $$
  select l.is_test_data, 'line', case when l.kind <> 'credit' then l.kind when l.product_code is not null then 'sale' else r.kind end,
    l.product_code, false, sum(l.list_amount), sum(l.discount), sum(l.net), sum(l.tax), sum(l.total)
  from order_lines l left join order_lines r on r.tenant_id = l.tenant_id and r.event_id = l.event_id and r.id = l.reverses_line_id
  where l.tenant_id = tenant and l.event_id = event group by 1, 3, 4
  union all
  select e.is_test_data, 'entry', e.kind, null, e.invoice_id is null, 0, 0, 0, 0, sum(e.amount) from ledger_entries e
  where e.tenant_id = tenant and e.event_id = event group by 1, 3, 5 $$;

insert into people_figures (tenant_id, event_id, is_test_data, status, flow_slug, source, tags, people)
select e.tenant_id, e.id, f.* from events e cross join lateral people_figures_of(e.tenant_id, e.id) f;
insert into money_figures (tenant_id, event_id, is_test_data, origin, kind, product_code, unapplied, list_amount, discount, net, tax, total)
select e.tenant_id, e.id, f.* from events e cross join lateral money_figures_of(e.tenant_id, e.id) f;

-- They held for every row what is now counted as it comes.
drop index participants_counted, participants_of_many_tags, order_lines_counted, ledger_entries_counted;

-- Invoices are found by what stands on them and by their order's numbers. Of the row, not of a column: what is paid changes often, and would
-- have the text made anew each time.
create index invoices_searched on invoices using gin (
  lanyard_searched(number, external_number, bill_to ->> 'name', bill_to ->> 'company', bill_to ->> 'email') gin_trgm_ops);
create index orders_searched on orders using gin (lanyard_searched(number, external_number) gin_trgm_ops);

-- Whoever waited with the whole of their registration and stands in no line any more has begun one, as before they waited.
create function participants_stop_waiting(tenant integer, event text, participant text) returns void language sql as $$
  update participants p set status = 'incomplete'
  where p.tenant_id = tenant and p.event_id = event and p.id = participant and p.status = 'waitlisted' and not exists (
    select from waitlist_entries w where w.tenant_id = p.tenant_id and w.event_id = p.event_id and w.participant_id = p.id
      and w.status in ('waiting', 'offered')) $$;

create or replace function holds_expire(tenant integer, event text, full_key text) returns boolean language plpgsql as $$
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
    if overdue.entry_id is not null then perform participants_stop_waiting(tenant, event, overdue.participant_id); end if;
  end loop;
  return any_ended;
end $$;

select participants_stop_waiting(p.tenant_id, p.event_id, p.id) from participants p where p.status = 'waitlisted';

-- The next number of a series as it is written, in the statement that uses it: all who need one wait for each other, so nothing comes in between.
create function number_take(tenant integer, event text, of_series text, written_before text) returns text language sql as $$
  insert into number_series as s (tenant_id, event_id, series, last) values (tenant, event, of_series, 1)
  on conflict (tenant_id, event_id, series) do update set last = s.last + 1
  returning written_before || case when s.last < 100000 then lpad(s.last::text, 6, '0') else s.last::text end $$;
