-- The function of 0079, which finds the room nights of a change by their hotels and nights. The planner takes a list in JSON for 100 rows and
-- so read all room nights of the event, three times for each change.
create or replace function block_nights_change(tenant integer, event text, block text, changes jsonb, to_hotel boolean, partial boolean)
returns jsonb language plpgsql as $$
declare
  today date := (select (lanyard_now() at time zone e.timezone)::date from events e where e.tenant_id = tenant and e.id = event);
  hotels text[] := (select array_agg(distinct c ->> 'hotelId') from jsonb_array_elements(changes) c);
  nights date[] := (select array_agg(distinct (c ->> 'night')::date) from jsonb_array_elements(changes) c);
  planned jsonb;
  refused jsonb;
  expired boolean;
  overdue record;
begin
  loop
    begin
      perform from housing_contracts h where h.tenant_id = tenant and h.event_id = event
        and h.hotel_id = any(hotels) order by h.hotel_id for share;
      perform from room_nights r where r.tenant_id = tenant and r.event_id = event and r.hotel_id = any(hotels) and r.night = any(nights)
        and (r.hotel_id, r.room_type_code, r.night) in (
          select w."hotelId", w."roomTypeCode", w.night
          from jsonb_to_recordset(changes) as w("hotelId" text, "roomTypeCode" text, night date))
        order by r.hotel_id, r.room_type_code, r.night for no key update;
      perform from block_nights b where b.tenant_id = tenant and b.event_id = event and b.block_id = block
        and (b.hotel_id, b.room_type_code, b.night) in (
          select w."hotelId", w."roomTypeCode", w.night
          from jsonb_to_recordset(changes) as w("hotelId" text, "roomTypeCode" text, night date))
        order by b.hotel_id, b.room_type_code, b.night for no key update;
      select jsonb_agg(to_jsonb(p)) into planned from (
        select n.*, case when partial then least(n.wanted, greatest(n.before, n.before + n.free)) else n.wanted end as after
        from (
          select w."hotelId", w."roomTypeCode", w.night, w.rate, coalesce(b.rooms, 0) as before, coalesce(b.booked + b.held, 0) as used,
            coalesce(w.rooms, coalesce(b.rooms, 0) + w.delta) as wanted,
            case when h.status = 'definite' then r.contracted - r.returned - r.allocated - r.booked - r.held else 0 end as free,
            h.cutoff_action = 'return' and h.cutoff_on < today as past_cutoff
          from jsonb_to_recordset(changes) as w("hotelId" text, "roomTypeCode" text, night date, rooms integer, delta integer, rate bigint)
          left join room_nights r on r.tenant_id = tenant and r.event_id = event and r.hotel_id = any(hotels) and r.night = any(nights)
            and r.hotel_id = w."hotelId" and r.room_type_code = w."roomTypeCode" and r.night = w.night
          left join housing_contracts h on h.tenant_id = r.tenant_id and h.event_id = r.event_id and h.hotel_id = r.hotel_id
          left join block_nights b on b.tenant_id = tenant and b.event_id = event and b.block_id = block and b.hotel_id = w."hotelId"
            and b.room_type_code = w."roomTypeCode" and b.night = w.night
          order by 1, 2, 3) n) p;
      select jsonb_agg(p) into refused from jsonb_array_elements(planned) p
      where (p ->> 'after')::int < (p ->> 'used')::int
        or (p ->> 'after')::int > (p ->> 'before')::int and (p -> 'free' = 'null'
          or (p ->> 'after')::int - (p ->> 'before')::int > (p ->> 'free')::int);
      if refused is not null then raise exception using errcode = 'LY003', message = 'refused'; end if;
      update room_nights r set allocated = r.allocated + p.after - p.before,
        returned = r.returned + case when p.after < p.before and (to_hotel or p.past_cutoff) then p.before - p.after else 0 end
      from jsonb_to_recordset(planned) as p("hotelId" text, "roomTypeCode" text, night date, before integer, after integer, past_cutoff boolean)
      where r.tenant_id = tenant and r.event_id = event and r.hotel_id = any(hotels) and r.night = any(nights)
        and r.hotel_id = p."hotelId" and r.room_type_code = p."roomTypeCode" and r.night = p.night and p.after <> p.before;
      insert into block_nights as b (tenant_id, event_id, block_id, hotel_id, room_type_code, night, rooms, rate)
      select tenant, event, block, p."hotelId", p."roomTypeCode", p.night, p.after, p.rate
      from jsonb_to_recordset(planned) as p("hotelId" text, "roomTypeCode" text, night date, after integer, before integer, rate bigint)
      where p.after <> p.before or p.rate is not null
      on conflict (tenant_id, event_id, block_id, hotel_id, room_type_code, night)
        do update set rooms = excluded.rooms, rate = coalesce(excluded.rate, b.rate);
      return jsonb_build_object('changed', coalesce(planned, '[]'));
    exception when sqlstate 'LY003' then
      null;
    end;
    -- Overdue holds count as free rooms; they are ended with the locks given up.
    expired := false;
    for overdue in
      select w."hotelId" as hotel, w."roomTypeCode" as room_type, array_agg(w.night) as nights
      from jsonb_to_recordset(refused) as w("hotelId" text, "roomTypeCode" text, night date) group by 1, 2 order by 1, 2 loop
      expired := room_nights_expire(tenant, event, overdue.hotel, overdue.room_type, overdue.nights) or expired;
    end loop;
    if not expired then return jsonb_build_object('refused', refused); end if;
  end loop;
end $$;
