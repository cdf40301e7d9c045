-- Leads of one company or of the event, newest first.
create index leads_created on leads (tenant_id, event_id, company_id, id);

-- When two companies are merged, their staff and the leads and slots of that staff change the company in several statements.
alter table leads alter constraint leads_tenant_id_event_id_staff_id_company_id_fkey deferrable initially immediate;
alter table offerings alter constraint offerings_tenant_id_event_id_staff_id_company_id_fkey deferrable initially immediate;

-- Free staff passes that an organizer grants beyond the allotment, or takes from it.
alter table companies add column staff_extra integer not null default 0;

-- When the latest invitation was sent, and the order line of a paid pass.
alter table exhibitor_staff add column invited_at timestamptz, add column order_line_id text collate "C",
  add foreign key (tenant_id, event_id, order_line_id) references order_lines;

-- X5. Free passes of booth staff are counted under `staff:<company>`. The counter has no limit until `staff_passes_fit` sets the allotment;
-- from then on its check refuses one pass too many, whichever statement adds it.
create function exhibitor_staff_count() returns trigger language plpgsql as $$
declare
  was text := case when tg_op <> 'INSERT' and old.status <> 'removed' and old.pass = 'free' then 'staff:' || old.company_id end;
  is_now text := case when tg_op <> 'DELETE' and new.status <> 'removed' and new.pass = 'free' then 'staff:' || new.company_id end;
begin
  if was is not distinct from is_now then return null; end if;
  if was is not null then
    perform inventory_free(old.tenant_id, old.event_id, jsonb_build_array(jsonb_build_object('key', was, 'quantity', 1)), false);
  end if;
  if is_now is not null then
    insert into inventory (tenant_id, event_id, key) values (new.tenant_id, new.event_id, is_now) on conflict do nothing;
    update inventory i set sold = i.sold + 1 where i.tenant_id = new.tenant_id and i.event_id = new.event_id and i.key = is_now;
  end if;
  return null;
end $$;
create trigger exhibitor_staff_counted after insert or delete or update of status, pass, company_id on exhibitor_staff
for each row execute function exhibitor_staff_count();
insert into inventory (tenant_id, event_id, key, sold)
select s.tenant_id, s.event_id, 'staff:' || s.company_id, count(*)::int from exhibitor_staff s
where s.status <> 'removed' and s.pass = 'free' group by 1, 2, 3;

-- Locks the counter of a company and sets its limit. Passes in use beyond the limit, and those that are about to move here, become overage.
create function staff_passes_fit(tenant integer, event text, company text, allotment integer, moving integer) returns integer language plpgsql as $$
declare
  counter text := 'staff:' || company;
  used integer;
begin
  insert into inventory (tenant_id, event_id, key) values (tenant, event, counter) on conflict do nothing;
  select i.sold into used from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = counter for no key update;
  update inventory i set capacity = allotment, overage = greatest(0, used + moving - allotment)
  where i.tenant_id = tenant and i.event_id = event and i.key = counter;
  return used;
end $$;
