import { describe, expect, it } from 'vitest'
import { ALLOWED_DOMAIN_IMPORTS, KERNEL_TABLE_WRITERS, CROSS_DOMAIN_WRITES, TABLE_OWNERS } from '../../src/domains/map.ts'
import { CROSS_DOMAIN_READS } from '../../src/domains/table-reads.ts'
import { readSources } from './sources.ts'
import { findForeignAccesses, findTableAccesses, type TableRules } from './table-access.ts'
import { readTableColumns } from './table-names.ts'

const sources = readSources()
const tables = new Set(readTableColumns().keys())
const accesses = findTableAccesses(sources, tables)

const rules: TableRules = {
  owners: TABLE_OWNERS,
  uses: ALLOWED_DOMAIN_IMPORTS,
  reads: CROSS_DOMAIN_READS,
  sharedWrites: CROSS_DOMAIN_WRITES,
  kernelWriters: KERNEL_TABLE_WRITERS,
}

describe('database tables and the domains that own them', () => {
  it('assigns every table to exactly one domain or to the kernel', () => {
    expect(Object.values(TABLE_OWNERS).flat().toSorted()).toEqual([...tables].toSorted())
  })

  it('assigns tables only to domains that exist, or to the kernel', () => {
    expect(Object.keys(TABLE_OWNERS).filter((owner) => owner !== 'kernel' && !(owner in ALLOWED_DOMAIN_IMPORTS))).toEqual([])
  })

  it('lets only the domain that owns a table write it, and only permitted domains read it', () => {
    expect(accesses.length).toBeGreaterThan(500)
    expect(findForeignAccesses(accesses, rules)).toEqual([])
  })
})

describe('permissions in the domain map', () => {
  const isUsed = (matches: (access: (typeof accesses)[number]) => boolean) => accesses.some(matches)

  it('lists no read access in the domain map that the code does not need', () => {
    const unused = Object.entries(CROSS_DOMAIN_READS).flatMap(([domain, names]) =>
      names.filter((table) => {
        const owner = Object.keys(TABLE_OWNERS).find((one) => TABLE_OWNERS[one]!.includes(table))!
        return (
          ALLOWED_DOMAIN_IMPORTS[domain]!.includes(owner) || !isUsed((one) => one.domain === domain && one.table === table && !one.writes)
        )
      }),
    )
    expect(unused).toEqual([])
  })

  it('lists no write access in the domain map that the code does not need', () => {
    const shared = Object.entries(CROSS_DOMAIN_WRITES).flatMap(([path, names]) =>
      names.filter((table) => !isUsed((one) => one.path === path && one.table === table && one.writes)),
    )
    const kernel = Object.entries(KERNEL_TABLE_WRITERS).flatMap(([table, folders]) =>
      folders.filter((folder) => !isUsed((one) => one.path.startsWith(folder) && one.table === table && one.writes)),
    )
    expect([...shared, ...kernel]).toEqual([])
  })
})

describe('findForeignAccesses', () => {
  const plantedRules: TableRules = {
    owners: { kernel: ['jobs', 'messages'], housing: ['reservations'], groups: ['managed_groups'], tenancy: ['events'] },
    uses: { housing: ['tenancy'], groups: ['housing', 'tenancy'], tenancy: [] },
    reads: { tenancy: ['reservations'] },
    sharedWrites: { 'src/domains/housing/merge.ts': ['managed_groups'] },
    kernelWriters: { messages: ['src/domains/groups/'] },
  }
  const findAt = (path: string, text: string) =>
    findForeignAccesses(findTableAccesses([{ path, text }], new Set(Object.values(plantedRules.owners).flat())), plantedRules)

  it.each([
    ["await db.updateTable('managed_groups').set({ room_block_id: id }).execute()"],
    ["await db.insertInto('managed_groups').values(row).execute()"],
    ["await eventDb(ctx).deleteFrom('managed_groups').execute()"],
    ['await sql`update managed_groups set name = ${name} where id = ${id}`.execute(db)'],
    ['await sql`update managed_groups g set name = ${name} from holders h where g.id = h.id`.execute(db)'],
    ['await sql`insert into managed_groups (id) values (${id}) on conflict do nothing`.execute(db)'],
    ['await sql`delete from managed_groups where ${sql`id = ${id}`}`.execute(db)'],
    ['await sql`select ${sql`(with gone as (delete from managed_groups returning id) select count(*) from gone)`}`.execute(db)'],
    ['await sql`merge into managed_groups using given on true when matched then do nothing`.execute(db)'],
    ["await sql`delete from ${sql.table(table)}`.execute(db)\nconst TABLES = ['managed_groups']"],
    ["await deleteTestRows(ctx, 'managed_groups', 'id', ids)"],
    ["const GROUP = defineRecord({\n  table: 'managed_groups',\n  kind: 'group' })"],
    ["const A_STATES = defineStateMachine({ column: 'managed_groups.status' })\nawait changeRecordState(ctx, A_STATES, group, 'closed')"],
    [
      "const B_STATES = defineStateMachine<B>({\n  column: 'managed_groups.status' })\nawait changeStateOfRows(eventDb(ctx), B_STATES, 'closed').execute()",
    ],
  ])('reports a write to a table of another domain: %s', (text) => {
    expect(findAt('src/domains/housing/blocks.ts', text)).toEqual([
      'src/domains/housing/blocks.ts writes managed_groups, which belongs to groups',
    ])
  })

  it("reports a write to another domain's table even if the map allows the domain to call the table's owner", () => {
    expect(findAt('src/domains/groups/delete.ts', "db.deleteFrom('reservations').execute()")).toEqual([
      'src/domains/groups/delete.ts writes reservations, which belongs to housing',
    ])
  })

  it("reports a write to a domain's table by code that belongs to no domain", () => {
    expect(findAt('src/toolsets/housing/book.ts', "db.deleteFrom('reservations').execute()")).toEqual([
      'src/toolsets/housing/book.ts writes reservations, which belongs to housing',
    ])
  })

  it('reports a write to a kernel table outside of the kernel', () => {
    expect(findAt('src/domains/housing/blocks.ts', "db.updateTable('jobs').set({ error }).execute()")).toEqual([
      'src/domains/housing/blocks.ts writes jobs, which belongs to kernel',
    ])
    expect(findAt('src/domains/housing/emails.ts', 'sql`delete from messages where id = ${id}`')).toEqual([
      'src/domains/housing/emails.ts writes messages, which belongs to kernel',
    ])
  })

  it.each([
    ["await db.selectFrom('managed_groups').selectAll().execute()"],
    ["await db.selectFrom('reservations as r').innerJoin('managed_groups as g', 'g.id', 'r.group_id').execute()"],
    ['await sql`select r.id from reservations r left join managed_groups g on g.id = r.group_id`.execute(db)'],
    ['await sql`select 1 where exists (${sql`select from managed_groups where id = ${id}`})`.execute(db)'],
    ["const group = buildLookupSql('g.name', 'managed_groups g', (row) => `g.id = ${row}.group_id`)"],
  ])("reports a read of another domain's table if the map allows no access to that domain: %s", (text) => {
    expect(findAt('src/domains/housing/blocks.ts', text)).toEqual([
      'src/domains/housing/blocks.ts reads managed_groups, which belongs to groups',
    ])
  })

  it.each([
    ['src/domains/housing/blocks.ts', "db.updateTable('reservations').set({ status }).execute()", 'a write by the owner'],
    ['src/domains/housing/blocks.ts', 'sql`update reservations set status = ${status} where id = ${id}`', 'a write by the owner in SQL'],
    ['src/domains/groups/list.ts', "db.selectFrom('reservations').execute()", 'a read along the map'],
    ['src/domains/tenancy/list.ts', "db.selectFrom('reservations').execute()", 'a read that the map lists'],
    ['src/domains/housing/merge.ts', "db.updateTable('managed_groups').set({ name }).execute()", 'a write that the map lists'],
    ['src/kernel/jobs.ts', "db.updateTable('jobs').set({ error }).execute()", 'a kernel write by the kernel'],
    ['src/domains/groups/emails.ts', 'sql`update messages set text_body = ${text}`', 'a kernel write that the map lists'],
    ['src/domains/housing/jobs.ts', "db.selectFrom('jobs').execute()", 'a read of a kernel table'],
    ['src/surfaces/web/groups.tsx', "db.selectFrom('managed_groups').execute()", 'a read above the domains'],
    [
      'src/domains/housing/blocks.ts',
      '// update managed_groups set name\nsql`select from reservations for update`',
      'a comment and a lock',
    ],
  ])('reports nothing for permitted table access in %s: %s (%s)', (path, text) => {
    expect(findAt(path, text)).toEqual([])
  })
})
