import { describe, expect, it } from 'vitest'
import { deskScenario, listParticipantIds, listParticipantNames } from './desk.ts'

const desk = deskScenario()
const find = (args: object = {}) => desk.call('find_participants', args)

describe('find_participants', () => {
  it('finds participants by prefixes and parts of words, ignoring accents', async () => {
    const anna = await desk.person({ first_name: 'Anna', last_name: 'Muller' })
    await desk.person({ first_name: 'Bert', last_name: 'Muller' })
    await desk.person({ first_name: 'Hanna', last_name: 'Maier' })
    expect(listParticipantIds(await find({ search: 'müller an' }))).toEqual([anna])
    // Two characters match the start of a word, three match any part of it.
    expect(listParticipantNames(await find({ search: 'an' }))).toEqual(['Anna Muller'])
    expect(listParticipantNames(await find({ search: 'nna' }))).toEqual(['Hanna Maier', 'Anna Muller'])
    expect((await find({ search: 'absent' })).total).toBe(0)
  })

  it('searches participants by preferred name, email, company, confirmation number and badge ID', async () => {
    const one = await desk.person({ preferred_name: 'Xaver', email: 'quiet@kontor.example', company: 'Böhm & Söhne', badge_id: 'badge-77' })
    await desk.person()
    for (const search of ['xaver', 'kontor', 'bohm', 'sohne böhm', 'badge-77', 'quiet@kontor.example'])
      expect(listParticipantIds(await find({ search }))).toEqual([one])
  })

  it('matches a complete email address exactly, ignoring case, and treats a partial one as text', async () => {
    const ada = await desk.person({ last_name: 'Aa', email: 'Ada@Lookup.example' })
    const sister = await desk.person({ last_name: 'Bb', email: 'ada@lookup.example' })
    const longer = await desk.person({ last_name: 'Cc', email: 'nada@lookup.example' })
    const further = await desk.person({ last_name: 'Dd', email: 'ada@lookup.example.org' })
    const gone = await desk.person({ last_name: 'Ee', email: 'ada@lookup.example', status: 'cancelled' })
    const found = async (search: string, more: object = {}) => listParticipantIds(await find({ search, sort: 'name', ...more }))
    for (const whole of ['ada@lookup.example', ' ADA@lookup.EXAMPLE ']) expect(await found(whole)).toEqual([ada, sister])
    expect(await found('ada@lookup.example', { status: ['cancelled'] })).toEqual([gone])
    expect(await find({ search: 'ada@lookup.example' })).toMatchObject({ total: 2, cancelledAlsoMatch: 1 })
    // No participant has exactly these addresses, so they are searched as fragments.
    for (const part of ['ada@look', 'ada@lookup.ex', 'da@lookup.example', '@lookup.example'])
      expect([part, await found(part)]).toEqual([part, [ada, sister, longer, further]])
    expect(await found('ada@lookup.example bb')).toEqual([sister])
    expect(await found('ada@nowhere.example')).toEqual([])
  })

  it('ranks participants by exact number, badge or email first, then whole names, then prefixes, then substrings', async () => {
    const part = await desk.person({ first_name: 'Joanna', last_name: 'Aa' })
    const prefix = await desk.person({ first_name: 'Annabel', last_name: 'Aa' })
    const preferred = await desk.person({ first_name: 'Lea', last_name: 'Zz', preferred_name: 'Anna' })
    const whole = await desk.person({ first_name: 'Anna', last_name: 'Zz' })
    const company = await desk.person({ first_name: 'Cem', last_name: 'Aa', company: 'Anna Ltd' })
    const badge = await desk.person({ first_name: 'Zoe', last_name: 'Zz', badge_id: 'ANNA' })
    expect(listParticipantIds(await find({ search: 'anna' }))).toEqual([badge, whole, preferred, prefix, company, part])
    expect(listParticipantIds(await find({ search: 'anna', sort: 'name' })).slice(0, 3)).toEqual([prefix, company, part])
  })

  it('returns each of 250 participants once across pages while others are added', async () => {
    await desk.world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, first_name, last_name, email)
       select $1, $2, lpad(to_hex(n), 24, '0'), 'incomplete', 'Kim', 'Number ' || n, n || '@example.org' from generate_series(1, 250) n`,
      [desk.event.tenantId, desk.event.eventId],
    )
    for (const sort of ['relevance', 'name', 'createdAt', 'balance']) {
      const seen: string[] = []
      let cursor: string | null = null
      for (let page = 0; cursor !== null || page === 0; page++) {
        const answer: any = await find({ search: 'kim', limit: 100, sort, ...(cursor ? { cursor } : {}) })
        seen.push(...listParticipantIds(answer).filter((id) => id.startsWith('0000')))
        cursor = answer.nextCursor
        // Participants added before the first, after the last and in between.
        for (const last_name of ['Number 0', 'Number 15', 'Number 151', 'Number 99', 'Zz'])
          await desk.person({ first_name: 'Kim', last_name, status: 'incomplete' })
      }
      expect(new Set(seen).size).toBe(250)
      expect(seen).toHaveLength(250)
    }
  })

  it('leaves out cancelled participants and returns how many of them match', async () => {
    const here = await desk.person({ last_name: 'Smith' })
    const gone = await desk.person({ last_name: 'Smith', status: 'cancelled' })
    await desk.person({ last_name: 'Jones', status: 'cancelled' })
    const answer = await find({ search: 'smith' })
    expect({ ids: listParticipantIds(answer), total: answer.total, cancelledAlsoMatch: answer.cancelledAlsoMatch }).toEqual({
      ids: [here],
      total: 1,
      cancelledAlsoMatch: 1,
    })
    const asked = await find({ search: 'smith', status: ['cancelled'] })
    expect(listParticipantIds(asked)).toEqual([gone])
    expect(asked).not.toHaveProperty('cancelledAlsoMatch')
  })

  it('combines several filters of participants, so that all must match', async () => {
    const host = await desk.person({ last_name: 'Host', tags: ['member', 'vip'], flow_slug: 'attendee', source: 'organizer' })
    const guest = await desk.person({ last_name: 'Guest', host_id: host, flow_slug: 'attendee' })
    const speaker = await desk.person({ last_name: 'Speaker', tags: ['vip'], flow_slug: 'speaker', source: 'web' })
    const plain = await desk.person({ last_name: 'Zero', status: 'waitlisted' })
    expect(listParticipantIds(await find({ tagsAll: ['member', 'vip'] }))).toEqual([host])
    expect(listParticipantIds(await find({ tagsAny: ['member', 'vip'] }))).toEqual([host, speaker])
    expect(listParticipantIds(await find({ tagsNone: ['vip'] }))).toEqual([guest, plain])
    expect(listParticipantIds(await find({ tagsAny: ['vip'], tagsNone: ['member'] }))).toEqual([speaker])
    expect(listParticipantIds(await find({ flowSlug: 'speaker' }))).toEqual([speaker])
    expect(listParticipantIds(await find({ isGuest: true }))).toEqual([guest])
    expect(listParticipantIds(await find({ isGuest: false, flowSlug: 'attendee' }))).toEqual([host])
    expect(listParticipantIds(await find({ hostId: host }))).toEqual([guest])
    expect(listParticipantIds(await find({ source: 'organizer' }))).toEqual([host])
    expect(listParticipantIds(await find({ status: ['waitlisted'] }))).toEqual([plain])
    expect((await find({ hostId: host })).participants[0]).toMatchObject({ hostId: host, name: expect.stringMatching(/Guest$/) })
  })

  it('filters participants by registration day in the event’s time zone', async () => {
    // In Berlin both registrations were created on the 2nd.
    const early = await desk.person({ last_name: 'A', created_at: new Date('2027-03-01T23:30:00Z') })
    const late = await desk.person({ last_name: 'B', created_at: new Date('2027-03-02T22:59:59Z') })
    await desk.person({ last_name: 'C', created_at: new Date('2027-03-02T23:00:00Z') })
    expect(listParticipantIds(await find({ createdFrom: '2027-03-02', createdUntil: '2027-03-02' }))).toEqual([early, late])
    const { code, fields } = await desk.refused('find_participants', { createdFrom: '2027-03-02', createdUntil: '2027-03-01' })
    expect({ code, path: fields![0]!.path }).toEqual({ code: 'invalid_arguments', path: 'createdFrom' })
  })

  it('filters participants by changes since a point in time, and sorts the newest first', async () => {
    const before = await desk.person({ created_at: new Date('2026-01-01T00:00:00Z') })
    await desk.world.clock.advance('1 second')
    const since = (await desk.world.clock.now()).toISOString()
    const after = await desk.person()
    expect(listParticipantIds(await find({ sort: 'createdAt' }))).toEqual([after, before])
    await desk.world.database.pool.query(`update participants set company = 'New' where id = $1`, [before])
    expect(listParticipantIds(await find({ updatedSince: since, sort: 'createdAt' }))).toEqual([after, before])
    expect((await find({ updatedSince: '2099-01-01T00:00:00.000Z' })).total).toBe(0)
  })

  it('finds members of a group and holders of a product, regardless of the payer', async () => {
    const acme = await desk.group('acme')
    const member = await desk.person({ last_name: 'M', group_id: acme })
    const buyer = await desk.person({ last_name: 'N' })
    await desk.buys(buyer, [{ product: 'dinner', quantity: 2, net: 16000 }])
    await desk.buys({ groupId: acme }, [{ product: 'dinner', net: 8000, for: member }])
    expect((await find({ groupCode: 'acme' })).participants).toEqual([expect.objectContaining({ id: member, groupCode: 'acme' })])
    expect(listParticipantIds(await find({ productCode: 'dinner' }))).toEqual([member, buyer])
    await desk.returns(buyer, 'dinner', 1)
    expect(listParticipantIds(await find({ productCode: 'dinner' }))).toEqual([member, buyer])
    await desk.returns(buyer, 'dinner', 1)
    expect(listParticipantIds(await find({ productCode: 'dinner' }))).toEqual([member])
  })

  it('filters participants by the balance of their own order', async () => {
    const [due, credit, settled, free, none] = [
      await desk.person({ last_name: 'A' }),
      await desk.person({ last_name: 'B' }),
      await desk.person({ last_name: 'C' }),
      await desk.person({ last_name: 'D' }),
      await desk.person({ last_name: 'E' }),
    ]
    await desk.buys(due, [{ product: 'pass', net: 75000, tax: 15000 }])
    await desk.buys(credit, [{ product: 'pass', net: 10000 }])
    await desk.pays(credit, 12000)
    await desk.buys(settled, [{ product: 'pass', net: 5000 }])
    await desk.pays(settled, 5000)
    await desk.buys(free, [{ product: 'pass', net: 0 }])
    const found = async (balance: string) => listParticipantIds(await find({ balance }))
    expect({ due: await found('due'), credit: await found('credit'), settled: await found('settled'), none: await found('none') }).toEqual({
      due: [due],
      credit: [credit],
      settled: [settled],
      none: [free, none],
    })
    expect((await find({ sort: 'balance' })).participants.map((one: any) => one.balance.amount)).toEqual([
      '900.00',
      '0.00',
      '0.00',
      '0.00',
      '-20.00',
    ])
    // A fully refunded order counts as settled, not as missing.
    await desk.returns(due, 'pass')
    expect(await found('settled')).toEqual([due, settled])
  })

  it('finds participants on a waiting list', async () => {
    const waiting = await desk.person({ status: 'waitlisted' })
    await desk.person({ status: 'waitlisted' })
    await desk.waits(waiting, 'product:dinner')
    expect(listParticipantIds(await find({ waitlistedFor: 'product:dinner' }))).toEqual([waiting])
    expect((await find({ waitlistedFor: 'event' })).total).toBe(0)
    expect((await desk.refused('find_participants', { waitlistedFor: 'product:diner' })).fields![0]!.allowed).toEqual(['dinner'])
    expect((await desk.refused('find_participants', { waitlistedFor: 'dinner' })).message).toContain('product:<code>')
  })

  it('shows the registration date, country and waiting list entry of a participant, and omits unknown values', async () => {
    const anna = await desk.person({ last_name: 'Aa', country: 'DE', created_at: new Date('2027-01-09T08:00:00Z') })
    const ben = await desk.person({ last_name: 'Bb', first_name: null, email: null, status: 'waitlisted' })
    const first = await desk.waits(ben, 'event')
    const second = await desk.waits(ben, 'product:dinner')
    const { participants } = await find()
    expect(participants[0]).toMatchObject({ id: anna, country: 'DE', createdAt: '2027-01-09T08:00:00.000Z' })
    expect(participants[0]).not.toHaveProperty('entryId')
    expect(participants[1]).toEqual({
      id: ben,
      name: 'Bb',
      status: 'waitlisted',
      tags: [],
      entryId: first,
      balance: { amount: '0.00', currency: 'EUR' },
      createdAt: expect.any(String),
    })
    expect((await find({ waitlistedFor: 'product:dinner' })).participants[0]).toMatchObject({ id: ben, entryId: second })
    const ana = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const seen = await ana.call('find_participants', { eventCode: desk.event.eventCode })
    expect(seen.participants[0]).not.toHaveProperty('country')
  })

  it('filters participants by country code or name, only with permission to read personal data', async () => {
    const anna = await desk.person({ country: 'DE' })
    await desk.person({ country: 'AT' })
    await desk.person()
    for (const country of ['DE', 'de', 'Germany', 'Allemagne'])
      expect([country, listParticipantIds(await find({ country }))]).toEqual([country, [anna]])
    expect((await desk.refused('find_participants', { country: 'Narnia' })).code).toBe('invalid_arguments')
    const ana = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const refused = await ana.refused('find_participants', { eventCode: desk.event.eventCode, country: 'DE' })
    expect(refused.message).toBe('Forbidden — find_participants by country requires the personal.read permission')
  })

  it('finds participants by the number of their order, invoice, credit note or receipt', async () => {
    const [anna, guest] = [await desk.person({ last_name: 'Aa' }), await desk.person({ last_name: 'Bb' })]
    const order = await desk.buys(anna, [
      { product: 'pass', net: 10000 },
      { product: 'dinner', net: 5000, for: guest },
    ])
    await desk.returns(anna, 'pass')
    await desk.pays(anna, 6000)
    await desk.refunds(anna, 1000)
    const other = await desk.person({ last_name: 'Cc' })
    const others = await desk.buys(other, [{ product: 'pass', net: 10000 }])
    const { rows } = await desk.world.database.pool.query<{ number: string }>(
      `select number from invoices where order_id = $1 union all select receipt_number from payments where order_id = $1
       union all select receipt_number from refunds where order_id = $1`,
      [order.id],
    )
    expect(rows).toHaveLength(4)
    for (const number of [order.number, ...rows.map((row) => row.number.toLowerCase())])
      expect([number, listParticipantIds(await find({ search: number }))]).toEqual([number, [anna, guest]])
    expect(listParticipantIds(await find({ search: others.number }))).toEqual([other])
    expect(listParticipantIds(await find({ search: 'R-999999' }))).toEqual([])
    await desk.world.database.pool.query(`update participants set confirmation_number = 'R-999999' where id = $1`, [other])
    expect(listParticipantIds(await find({ search: 'r-999999' }))).toEqual([other])
  })

  it('filters participants by answers, only with permission to read personal data', async () => {
    const one = await desk.person({
      custom_field_responses: JSON.stringify({ shirt: 'm', topics: ['ai', 'law'], years: 12, club: 'Zürich  Süd' }),
    })
    await desk.person({ custom_field_responses: JSON.stringify({ shirt: 'l', topics: ['law'], years: 3 }) })
    for (const [code, value] of [
      ['shirt', 'm'],
      ['topics', 'ai'],
      ['years', '12.0'],
      ['club', 'zurich süd'],
    ] as const)
      expect(listParticipantIds(await find({ custom: [{ code, value }] }))).toEqual([one])
    expect(
      (
        await find({
          custom: [
            { code: 'shirt', value: 'l' },
            { code: 'years', value: '12' },
          ],
        })
      ).total,
    ).toBe(0)
    const ana = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const refused = await ana.refused('find_participants', { eventCode: desk.event.eventCode, custom: [{ code: 'shirt', value: 'm' }] })
    expect({ code: refused.code, message: refused.message }).toEqual({
      code: 'forbidden',
      message: 'Forbidden — find_participants by custom requires the personal.read permission',
    })
  })

  it('rejects all unknown filter values together, and suggests the nearest known ones', async () => {
    await desk.group('acme')
    const { code, fields } = await desk.refused('find_participants', {
      tagsAny: ['vip', 'membr'],
      productCode: 'diner',
      groupCode: 'acne',
      flowSlug: 'atendee',
      custom: [{ code: 'shirts', value: 'm' }],
    })
    expect(code).toBe('invalid_arguments')
    expect(fields!.map(({ path, allowed }) => [path, allowed])).toEqual([
      ['tagsAny[1]', ['member']],
      ['flowSlug', ['attendee']],
      ['productCode', ['dinner']],
      ['custom[0].code', ['shirt']],
      ['groupCode', ['acme']],
    ])
  })

  it('includes test registrations only on request', async () => {
    const real = await desk.person({ last_name: 'Aa' })
    const test = await desk.person({ last_name: 'Bb', is_test_data: true })
    expect(listParticipantIds(await find())).toEqual([real])
    expect(listParticipantIds(await find({ includeTestData: true }))).toEqual([real, test])
  })
})
