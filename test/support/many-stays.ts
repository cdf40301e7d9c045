type Query = (text: string, values?: unknown[]) => Promise<object[]>

/** Lists the columns of a table that can be written, for a statement that copies rows. */
async function listColumns(query: Query, table: string): Promise<string[]> {
  const rows = await query(
    `select column_name as name from information_schema.columns where table_name = $1 and table_schema = current_schema()
     and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`,
    [table],
  )
  return (rows as { name: string }[]).map(({ name }) => name)
}

/**
 * Builds a statement that copies the rows of a table once for each number up to `copies`, with some columns calculated from the number `n`.
 */
async function copyStatement(query: Query, table: string, where: string, copies: number, changed: Record<string, string>): Promise<string> {
  const columns = await listColumns(query, table)
  return `insert into ${table} (${columns.join(', ')})
    select ${columns.map((name) => changed[name] ?? `t.${name}`).join(', ')} from ${table} t, generate_series(1, ${copies}) n where ${where}`
}

const id = (column: string) => `lpad(to_hex(n), 6, '0') || substr(t.${column}, 7)`

const copyPeople = (query: Query, participantId: string, copies: number): Promise<string> =>
  copyStatement(query, 'participants', `t.id = '${participantId}'`, copies, {
    id: id('id'),
    email: `'guest-' || n || '-' || t.email`,
    last_name: `t.last_name || ' ' || n`,
    confirmation_number: `substr(t.confirmation_number, 1, 6) || lpad(n::text, 4, '0')`,
    badge_id: id('badge_id'),
    order_id: 'null',
  })

/** Copies the hotel waiting list entry of a participant, so that other guests wait behind that participant. */
export async function copyWaitlistEntry(query: Query, participantId: string, copies: number): Promise<void> {
  const own = `participant_id = '${participantId}'`
  const changed = { id: id('id'), participant_id: id('participant_id'), position: 't.position + n' }
  const entries = await copyStatement(query, 'hotel_waitlist_entries', own, copies, changed)
  await query(`begin; ${await copyPeople(query, participantId, copies)}; ${entries}; commit`)
}

/** Copies the hotel booking of a participant, as if other guests had booked the same nights. The hotel has no other bookings. */
export async function copyStay(query: Query, participantId: string, copies: number): Promise<void> {
  const own = `participant_id = '${participantId}'`
  const statements = [
    await copyPeople(query, participantId, copies),
    await copyStatement(query, 'reservations', own, copies, {
      id: id('id'),
      participant_id: id('participant_id'),
      ack_number: `t.ack_number || '-' || n`,
      guests: `jsonb_build_array(jsonb_build_object('participantId', ${id('participant_id')}, 'name', 'Guest ' || n))`,
    }),
    await copyStatement(query, 'reservation_nights', own, copies, {
      reservation_id: id('reservation_id'),
      participant_id: id('participant_id'),
    }),
    `update room_nights set booked = booked + ${copies}
     where (hotel_id, room_type_code) = (select hotel_id, room_type_code from reservations where ${own})
       and night in (select night from reservation_nights where ${own})`,
  ]
  await query(`begin; ${statements.join('; ')}; commit`)
}
