import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { newId } from '../../src/kernel/ids.ts'
import { BOOTH_SECTIONS } from '../support/booths.ts'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../support/companies.ts'
import { LEAD_PRODUCTS } from '../support/lead-requests.ts'
import { createSessionAt, programSections } from '../support/programs.ts'
import { createRegistrationFixtures } from '../support/registrations.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { chooseForSoak } from '../support/soak.ts'
import type { ToolAnswer } from '../support/world.ts'

const LIMIT = 300_000
const ROUNDS = chooseForSoak(20, 2)

const SECTIONS = {
  ...BOOTH_SECTIONS,
  products: [...BOOTH_SECTIONS.products, ...LEAD_PRODUCTS.filter(({ category }) => category === 'leadRetrieval')],
  flows: [...BOOTH_SECTIONS.flows, { ...BOOTH_SECTIONS.flows[0]!, slug: 'exhibitor', kind: 'exhibitor', name: 'Exhibitors' }],
  sessions: { ...programSections().sessions, rooms: [{ code: 'hall', name: 'Hall', capacity: 50 }] },
}

/** Two service processes on one PostgreSQL; an embedded database supports only one. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('show floor tools called by two processes', () => {
  let sale: ServedSale
  let exhibitors: Exhibitors
  let made = 0

  beforeAll(async () => {
    sale = await openServedSale(SECTIONS, { processes: 2 })
    const { world, event } = sale.sales
    exhibitors = createExhibitorFixtures(world, event)
    const booths = Array.from({ length: 40 }, (_, i) => ({
      number: String(100 + i),
      polygon: buildRectangle(2 + 5 * (i % 10), 2 + 6 * Math.floor(i / 10), 3, 3),
      sizeCode: 'small',
    }))
    const pois = [
      { id: 'in', kind: 'entrance', name: 'Entrance', point: [30, 0.5] },
      { id: 'out', kind: 'exit', name: 'Exit', point: [59, 15] },
    ] as const
    await exhibitors.plan({ outline: { outer: buildRectangle(0, 0, 60, 30) }, pois: [...pois] }, booths)
    await openDoors()
    await Promise.all([sale.start(0), sale.start(1)])
  }, LIMIT)
  afterAll(() => sale.end(), LIMIT)

  const query = (text: string, values: unknown[] = []) => sale.sales.world.database.pool.query<any>(text, values)
  const figure = async (text: string, ...values: unknown[]): Promise<number> => Number((await query(text, values)).rows[0].n)

  /** Moves the event to today. Publishing sets the dates of the configuration again. */
  const openDoors = () => query(`update events set starts_on = lanyard_now()::date - 1, ends_on = lanyard_now()::date + 2`)

  /** Calls a tool through either process; every other call goes to the other one. */
  async function call(tool: string, args: Record<string, unknown>): Promise<any> {
    const answer = await sale.callUntilAnswered(tool, args)
    if (answer.isError) throw new Error(`${tool} was refused: ${answer.content[0]?.text}`)
    return answer.structuredContent
  }

  /** Sends all calls concurrently, half to each process. Returns the results and the error codes of refused calls. */
  async function race(tool: string, calls: readonly Record<string, unknown>[]) {
    const answers = await Promise.all(calls.map((args) => sale.callUntilAnswered(tool, args)))
    const refused = answers.filter(({ isError }) => isError).map((answer: ToolAnswer) => answer._meta?.['lanyard/error']?.code)
    return { results: answers.filter(({ isError }) => !isError).map(({ structuredContent }) => structuredContent as any), refused }
  }

  const people = async (count: number) => {
    const at = createRegistrationFixtures(sale.sales.world, sale.sales.event)
    const badges = Array.from({ length: count }, () => `door-${++made}`)
    for (const badge_id of badges) await at.person({ badge_id })
    // The participants were inserted directly, so the event's counter is set to their number.
    await query(`update inventory set sold = (select count(*) from participants where status = 'complete') where key = 'event'`)
    return badges
  }

  const violations = async () => {
    const { tenantId, eventId } = sale.sales.event
    const found = await checkIntegrity(sale.sales.world.database.write, tenantId, eventId)
    return found.filter(({ ok }) => !ok).map(({ id }) => id)
  }

  /** Runs with functions of the database replaced and constraints dropped, and puts everything back. */
  async function without<T>(
    changes: { functions?: Record<string, (source: string) => string>; constraint?: [table: string, name: string] },
    run: () => Promise<T>,
  ) {
    const back: string[] = []
    for (const [name, change] of Object.entries(changes.functions ?? {})) {
      const { rows } = await query(`select pg_get_functiondef($1::regproc) as sql, prosrc from pg_proc where oid = $1::regproc`, [name])
      back.push(rows[0].sql)
      await query(rows[0].sql.replace(rows[0].prosrc, () => change(rows[0].prosrc)))
    }
    if (changes.constraint) {
      const [table, name] = changes.constraint
      const { rows } = await query(`select pg_get_constraintdef(oid) as sql from pg_constraint where conname = $1`, [name])
      back.push(`alter table ${table} add constraint ${name} ${rows[0].sql} not valid`)
      await query(`alter table ${table} drop constraint ${name}`)
    }
    try {
      return await run()
    } finally {
      for (const statement of back) await query(statement)
    }
  }

  describe('20 concurrent assignments of one booth', () => {
    const assign = async (number: string) => {
      const companies = []
      for (let i = 0; i < 20; i++) companies.push((await exhibitors.company({ appointmentsEnabled: false })).id)
      const calls = companies.map((companyId) => ({ action: 'assign', number, companyId }))
      return { companies, ...(await race('manage_booths', calls)) }
    }
    it('gives a booth to one company with one order in 20 concurrent assignments', { timeout: LIMIT }, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const number = String(100 + round)
        const { companies, results, refused } = await assign(number)
        expect([results.length, refused.length]).toEqual([1, 19])
        expect(new Set(refused)).toEqual(new Set(['conflict']))
        const own = `from booth_assignments a join booths b on b.id = a.booth_id where b.number = $1`
        expect(await figure(`select count(*) as n ${own}`, number)).toBe(1)
        const sold = `select count(*) as n from order_lines l join orders o on o.id = l.order_id where o.company_id = any($1)`
        expect(await figure(sold, companies)).toBe(await figure(`select sum(cardinality(a.order_line_ids)) as n ${own}`, number))
        expect(await violations()).toEqual([])
      }
    })

    it('assigns a booth once because of the locks of the tool, even without the unique index', { timeout: LIMIT }, async () => {
      await query('drop index booth_assignments_open')
      const { results } = await assign('130')
      expect(results).toHaveLength(1)
      await query('create unique index booth_assignments_open on booth_assignments (tenant_id, event_id, booth_id) where until is null')
    })

    it('assigns a booth once because of the unique index, even without the locks of the tool', { timeout: LIMIT }, async () => {
      const { id: companyId } = await exhibitors.company({ appointmentsEnabled: false })
      const insert = () =>
        query(
          `with own as (insert into booth_assignments (tenant_id, event_id, id, booth_id, company_id, by)
             select b.tenant_id, b.event_id, $1, b.id, $2, 'test' from booths b where b.number = '131' returning booth_id)
           update booths b set status = 'assigned' from own where b.id = own.booth_id`,
          [newId(), companyId],
        )
      const written = await Promise.allSettled(Array.from({ length: 20 }, insert))
      expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await query('drop index booth_assignments_open')
      await Promise.allSettled(Array.from({ length: 20 }, insert))
      expect(
        await figure(`select count(*) as n from booth_assignments a join booths b on b.id = a.booth_id where b.number = '131'`),
      ).toBeGreaterThan(1)
      expect(await violations()).toEqual(['X1'])
      await query(`delete from booth_assignments a using booths b where b.id = a.booth_id and b.number = '131'
        and a.id <> (select min(o.id) from booth_assignments o where o.booth_id = a.booth_id)`)
      await query('create unique index booth_assignments_open on booth_assignments (tenant_id, event_id, booth_id) where until is null')
      expect(await violations()).toEqual([])
    })
  })

  describe('300 concurrent scans of one badge without re-entry', () => {
    const setRules = async (duplicateSeconds: number) => {
      await call('configure_event', { sections: { onsite: { reentry: false, duplicateSeconds } } })
      await call('publish_event', { acceptWarnings: true })
      await openDoors()
    }
    const scan = async () => {
      const [badge] = await people(1)
      const { results } = await race(
        'record_attendance',
        Array.from({ length: 300 }, (_, i) => ({
          scans: [{ badge, direction: 'in', deviceName: `door-${i % 7}`, nonce: `${badge}-${i}` }],
        })),
      )
      const outcomes = results.map(({ results: [one] }) => (one.result === 'refused' ? one.reason : one.result))
      return Object.fromEntries([...new Set(outcomes)].map((kind) => [kind, outcomes.filter((one) => one === kind).length]))
    }

    it('accepts one of 300 concurrent scans of a badge and stores the other 299 as duplicates', { timeout: LIMIT }, async () => {
      await setRules(600)
      expect(await scan()).toEqual({ accepted: 1, duplicate: 299 })
      expect(await violations()).toEqual([])
    })

    it(
      'accepts one of 300 concurrent scans of a badge and refuses the others if repeated scans are not treated as duplicates',
      { timeout: LIMIT },
      async () => {
        await setRules(0)
        expect(await scan()).toEqual({ accepted: 1, already_in: 299 })
        expect(await violations()).toEqual([])
      },
    )

    it('control: accepts several concurrent scans of a badge without the lock on the participant', { timeout: LIMIT }, async () => {
      // The decision takes longer, so that another scan is decided meanwhile.
      const slowly = (source: string) => source.replace('begin', 'begin perform pg_sleep(0.1);')
      const { accepted } = await without({ functions: { door_lock: () => ' begin return; end ', door_refusal: slowly } }, scan)
      expect(accepted).toBeGreaterThan(1)
      expect(await violations()).toContain('X8')
      await query(`update attendance_scans set flag = 'already_in' where result = 'accepted' and flag is null`)
    })
  })

  describe('60 concurrent entries to a room for 50 people', () => {
    let sessions = 0
    const enter = async () => {
      const badges = await people(60)
      const sessionId = await createSessionAt(sale.sales.world, sale.sales.event, {
        roomCode: 'hall',
        from: `2026-09-${10 + ++sessions}T10:00`,
      })
      const { results } = await race(
        'record_attendance',
        badges.map((badge) => ({ scans: [{ badge, sessionId, direction: 'in', nonce: `${badge}-in` }] })),
      )
      const of = (wanted: string) => results.filter(({ results: [one] }) => (one.reason ?? one.result) === wanted).length
      return {
        accepted: of('accepted'),
        full: of('full'),
        sold: await figure(`select sold as n from inventory where key = $1`, `room:${sessionId}`),
      }
    }

    it('admits 50 of 60 concurrent people to a room for 50 and refuses 10', { timeout: LIMIT }, async () => {
      for (let round = 0; round < ROUNDS; round++) expect(await enter()).toEqual({ accepted: 50, full: 10, sold: 50 })
      expect(await violations()).toEqual([])
    })

    it("control: admits more people than the room's capacity if the occupancy is read without a lock", { timeout: LIMIT }, async () => {
      const readFirst = () => `
        declare inside integer;
        begin
          insert into inventory (tenant_id, event_id, key) values (tenant, event, place) on conflict do nothing;
          select i.sold into inside from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = place;
          if added > 0 and inside + added > most then return false; end if;
          perform pg_sleep(0.1);
          update inventory i set sold = i.sold + added where i.tenant_id = tenant and i.event_id = event and i.key = place;
          return true;
        end `
      expect((await without({ functions: { door_count: readFirst } }, enter)).accepted).toBeGreaterThan(50)
    })
  })

  describe('ten concurrent free staff passes', () => {
    const add = async () => {
      // A company with 18 m² gets 2 + 2 × 2 free passes.
      const companyId = (await exhibitors.company({ appointmentsEnabled: false })).id
      for (let i = 0; i < 2; i++) await exhibitors.assign(String(132 + boothsUsed++), companyId)
      const { results, refused } = await race(
        'manage_exhibitors',
        Array.from({ length: 10 }, () => {
          const person = { firstName: 'Pat', lastName: `Nr ${++made}`, email: `pat-${made}@example.org`, role: 'staff' }
          return { action: 'add', companyId, people: [person], pass: 'free' }
        }),
      )
      const used = await figure(
        `select count(*) as n from exhibitor_staff where company_id = $1 and pass = 'free' and status <> 'removed'`,
        companyId,
      )
      return { companyId, added: results.length, refused, used }
    }
    let boothsUsed = 0

    it('grants a free staff pass to only six of ten people who are added concurrently', { timeout: LIMIT }, async () => {
      const { added, refused, used } = await add()
      expect([added, used]).toEqual([6, 6])
      expect(refused).toEqual(Array.from({ length: 4 }, () => 'limit_exceeded'))
      expect(await violations()).toEqual([])
    })

    it(
      'grants at most six free staff passes by a database constraint, even without the locks of the tool',
      { timeout: LIMIT },
      async () => {
        const { companyId } = await add()
        await query(`update exhibitor_staff set status = 'removed' where company_id = $1`, [companyId])
        const insert = async () => {
          const { tenantId, eventId } = sale.sales.event
          await query(
            `insert into exhibitor_staff (tenant_id, event_id, id, company_id, is_test_data, name, email, role)
           values ($1, $2, $3, $4, false, 'Pat', $3 || '@example.org', 'staff')`,
            [tenantId, eventId, newId(), companyId],
          )
        }
        const insertTen = async () => {
          const written = await Promise.allSettled(Array.from({ length: 10 }, insert))
          return written.filter(({ status }) => status === 'fulfilled').length
        }
        expect(await insertTen()).toBe(6)
        await without({ constraint: ['inventory', 'inventory_not_oversold'] }, async () => {
          expect(await insertTen()).toBe(10)
          expect(await violations()).toEqual(['I2', 'X5'])
          await query(`update exhibitor_staff set status = 'removed' where company_id = $1`, [companyId])
        })
        expect(await violations()).toEqual([])
      },
    )
  })

  describe('five concurrent device activations with two device seats', () => {
    const activate = async () => {
      const { company } = await call('manage_company', { action: 'create', name: `Scanner ${++made}` })
      const companyId = company.id ?? company.companyId
      await call('manage_company', { action: 'grant_licence', companyId, productCode: 'lead-device', seats: 2, reason: 'Test' })
      const { company: shown } = await call('manage_company', { action: 'rotate_activation_code', companyId })
      const { tenantCode, clientCode, eventCode } = sale.sales.event
      const statuses = await Promise.all(
        Array.from({ length: 5 }, async (_, i) => {
          const body = { tenantCode, clientCode, eventCode, activationCode: shown.activationCode, name: `d${i}`, platform: 'web' }
          const response = await fetch(`${sale.address(i % 2)}/api/public/lead-devices`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
          await response.text()
          return response.status
        }),
      )
      const active = await figure(`select count(*) as n from lead_devices where company_id = $1 and status = 'active'`, companyId)
      return { statuses: statuses.toSorted((a, b) => a - b), active }
    }

    it('activates two devices for two seats in five concurrent activations', { timeout: LIMIT }, async () => {
      for (let round = 0; round < ROUNDS; round++) expect(await activate()).toEqual({ statuses: [201, 201, 403, 403, 403], active: 2 })
      expect(await violations()).toEqual([])
    })

    it('control: activates more devices than seats without the lock and the check of the counter', { timeout: LIMIT }, async () => {
      const unlocked = () => `
        begin
          insert into inventory (tenant_id, event_id, key) values (tenant, event, 'licence:' || company || ':device') on conflict do nothing;
          seats := device_seats(tenant, event, company, false);
          select count(*) into used from lead_devices d where d.tenant_id = tenant and d.event_id = event and d.company_id = company and d.status = 'active';
          perform pg_sleep(0.2);
        end `
      const guards = { functions: { lead_devices_fit: unlocked }, constraint: ['inventory', 'inventory_not_oversold'] as [string, string] }
      expect((await without(guards, activate)).active).toBeGreaterThan(2)
      expect(await violations()).toContain('X5')
    })
  })
})
