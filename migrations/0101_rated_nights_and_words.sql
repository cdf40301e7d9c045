-- Takes nights as `room_nights_take` does, and returns each with its rates, read after the nights were locked:
-- { taken: [{ night, blockId, blockRate, rate_single, rate_double, rate_triple, rate_quad }] }, by night.
create function room_nights_take_rated(
  tenant integer, event text, hotel text, room_type text, wanted date[], blocks text[], free_sell boolean, holds boolean
) returns jsonb language plpgsql as $$
declare
  result jsonb := room_nights_take(tenant, event, hotel, room_type, wanted, blocks, free_sell, holds);
begin
  if not result ? 'taken' then return result; end if;
  return jsonb_build_object('taken', (
    select jsonb_agg(jsonb_build_object('night', t.night, 'blockId', t."blockId", 'blockRate', b.rate, 'rate_single', r.rate_single,
      'rate_double', r.rate_double, 'rate_triple', r.rate_triple, 'rate_quad', r.rate_quad) order by r.night)
    from jsonb_to_recordset(result->'taken') as t (night date, "blockId" text)
    join room_nights r on r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type and r.night = t.night
    left join block_nights b on b.tenant_id = tenant and b.event_id = event and b.block_id = t."blockId" and b.hotel_id = hotel
      and b.room_type_code = room_type and b.night = t.night));
end $$;

-- The patterns of several words. A condition `like all ((select lanyard_word_patterns(…)))` computes them once and needs no plan of its own for
-- every word, for searches that other conditions limit to few rows.
create function lanyard_word_patterns(words text[]) returns text[] language sql immutable parallel safe
  as $$ select array(select lanyard_word_pattern(w.word) from unnest(words) as w (word)) $$;
