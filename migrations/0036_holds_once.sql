-- What somebody holds is counted while nobody else can take or give it back.
create or replace function inventory_take(
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
        -- Before what is already held is read: somebody who asks twice at once would else hold it twice, and give it back once.
        perform from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = w.key for no key update;
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
