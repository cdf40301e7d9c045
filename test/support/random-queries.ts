import type { QueryEntity, QueryEntityField, FieldType } from '../../src/domains/figures/dictionary/types.ts'
import { METRICS } from '../../src/domains/figures/metrics/index.ts'
import type { DataDictionary } from '../../src/domains/figures/query/plan.ts'
import { CONDITION_OPERATORS } from '../../src/domains/figures/query/tree.ts'
import { createFractionGenerator } from './seeded-fraction.ts'

type Query = Record<string, unknown>
type Tree = Record<string, unknown>

const TEXTS = ['a', 'Anna', 'STRASSE', 'straße', '%', '_', '50%', "O'Brien", '1.50', '007', 'é', '2027-01-15', 'de', 'EUR', 'in progress']
const DAYS = ['2026-10-25', '2027-01-15', '2027-03-28', '1000-01-01', '9999-12-31', { today: -7 }, { start: -30 }, { end: 1 }]
const INSTANTS = [...DAYS, '2026-10-25T00:30:00Z', '2027-03-28T02:30:00+01:00', '9999-12-31T23:59:59-12:00', '1000-01-01T00:00:00+12:00']
const NUMBERS = [0, 1, -3, 12, 0.5, '7', '1.50', 999_999_999_999_999]
const AMOUNTS = [0, '750.00', '-89.00', { amount: '12.50' }, 100]
const PERIODS = ['day', 'week', 'month', 'quarter', 'year', 'dayOfWeek', 'daysBefore']
const STEPS = ['step(1)', 'step(10)', 'step(0.5)', 'step(250)']
const NUMERIC: readonly FieldType[] = ['integer', 'decimal', 'percent', 'money']

/** Filter operators that fit a type of field. */
const FITTING: Readonly<Record<'text' | 'list' | 'boolean' | 'ordered' | 'time', readonly string[]>> = {
  text: ['equals', 'notEquals', 'in', 'notIn', 'contains', 'startsWith', 'isSet', 'isNotSet'],
  list: ['equals', 'notEquals', 'in', 'notIn', 'contains', 'isSet', 'isNotSet'],
  boolean: ['equals', 'notEquals', 'in', 'isSet', 'isNotSet'],
  ordered: ['equals', 'notEquals', 'in', 'notIn', 'gt', 'lt', 'gte', 'lte', 'between', 'isSet', 'isNotSet'],
  time: ['equals', 'gt', 'lt', 'gte', 'lte', 'between', 'onDay', 'in', 'isSet', 'isNotSet'],
}

const kindOf = (type: FieldType): keyof typeof FITTING => {
  if (type === 'list' || type === 'boolean') return type
  if (type === 'day' || type === 'instant') return 'time'
  return NUMERIC.includes(type) ? 'ordered' : 'text'
}

interface Found {
  path: string
  field: QueryEntityField
  isRelated: boolean
}

/**
 * Generates queries from the data dictionary. Most are valid; in some, one part does not fit the rest, such as an operator of another type.
 */
export class RandomQueries {
  readonly #dictionary: DataDictionary
  readonly #fraction: () => number
  readonly #roots: readonly QueryEntity[]

  constructor(dictionary: DataDictionary, seed: number, { withContacts = false } = {}) {
    this.#dictionary = dictionary
    this.#fraction = createFractionGenerator(seed)
    this.#roots = [...dictionary.values()].filter(({ onlyAcrossEvents }) => withContacts || !onlyAcrossEvents)
  }

  chance(probability: number): boolean {
    return this.#fraction() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#fraction() * list.length)]!
  }

  some<T>(most: number, build: () => T, least = 1): T[] {
    return Array.from({ length: least + Math.floor(this.#fraction() * (most - least + 1)) }, build)
  }

  /** Returns the arguments of the next random call of query_data. */
  next(): Query {
    const root = this.pick(this.#roots)
    const mode = this.#fraction()
    const query = mode < 0.35 ? this.#rows(root) : mode < 0.8 ? this.#groups(root) : this.#metrics()
    return {
      ...query,
      ...(this.chance(0.2) ? { limit: this.pick([1, 7, 100, 1000]) } : {}),
      ...(this.chance(0.15) ? { total: true } : {}),
      ...(this.chance(0.2) ? { includeTestData: true } : {}),
      ...(this.chance(0.05) ? { explain: true } : {}),
    }
  }

  #rows(root: QueryEntity): Query {
    const found = this.some(6, () => this.#field(root))
    return {
      entity: root.name,
      fields: found.map(({ path }) => path),
      ...this.#filterOf(root),
      ...(this.chance(0.5) ? { orderBy: this.some(3, () => `${this.chance(0.5) ? '-' : ''}${this.pick(found).path}`) } : {}),
    }
  }

  #groups(root: QueryEntity): Query {
    const keys = this.some(3, () => this.#key(root), 0)
    const aggregates = [...new Map(this.some(4, () => this.#aggregate(root)).map((one) => [one.name, one])).values()]
    const names = aggregates.map(({ name }) => name)
    const filtered = aggregates.filter(() => this.chance(0.25)).map(({ name }) => [name, this.#tree(root, 2)])
    return {
      entity: root.name,
      ...(keys.length > 0 ? { groupBy: keys.map(({ text }) => text) } : {}),
      aggregates: aggregates.map(({ text }) => text),
      ...(filtered.length > 0 ? { aggregateFilters: Object.fromEntries(filtered) } : {}),
      ...(this.chance(0.15) ? { metrics: [this.#metric(root.name)] } : {}),
      ...this.#filterOf(root),
      ...this.#overNames(
        names,
        keys.map(({ name }) => name),
      ),
      ...(keys.some(({ isPeriod }) => isPeriod) && this.chance(0.3) ? { fill: 'zero' } : {}),
    }
  }

  #metrics(): Query {
    const codes = [...new Set(this.some(4, () => this.#metric()))]
    const bases = codes.map((code) => METRICS.get(code)!).filter((metric) => 'entity' in metric)
    const hasDate = this.chance(0.4)
    const [root] = bases.length === codes.length ? bases.map((metric) => this.#dictionary.get(metric.entity)!) : []
    const own = root && codes.length === 1
    const keys = hasDate ? [{ text: `date:${this.pick(PERIODS)}`, name: '' }] : own && this.chance(0.5) ? [this.#key(root)] : []
    return {
      metrics: codes,
      ...(keys.length > 0 ? { groupBy: keys.map(({ text }) => text) } : {}),
      ...(own ? this.#filterOf(root) : {}),
      ...this.#overNames(codes, []),
    }
  }

  #metric(entity?: string): string {
    const all = [...METRICS.values()].filter((metric) => entity === undefined || ('entity' in metric && metric.entity === entity))
    return this.pick(all.length > 0 ? all : [...METRICS.values()]).code
  }

  /** Generates calculations, conditions and sorting over the columns of a result. */
  #overNames(names: readonly string[], keys: readonly string[]): Query {
    const calculated = this.chance(0.3) ? [`result = ${this.#expression(names, 3)}`] : []
    const all = [...names, ...keys, ...(calculated.length > 0 ? ['result'] : [])]
    return {
      ...(calculated.length > 0 ? { calculate: calculated } : {}),
      ...(this.chance(0.25) ? { having: this.#group(() => this.#havingLeaf(all), 2) } : {}),
      ...(this.chance(0.4) ? { orderBy: this.some(2, () => `${this.chance(0.5) ? '-' : ''}${this.pick(all)}`) } : {}),
    }
  }

  #havingLeaf(names: readonly string[]): Tree {
    const op = this.pick(['equals', 'notEquals', 'gt', 'lt', 'gte', 'lte', 'in', 'notIn', 'between', 'isSet', 'startsWith', 'contains'])
    const value = () => this.pick([...NUMBERS, 'a', '2027-01-15'])
    return { field: this.pick(names), op, ...this.#valueOf(op, value) }
  }

  #expression(names: readonly string[], depth: number): string {
    if (depth === 0 || this.chance(0.3)) return this.chance(0.5) ? this.pick(names) : String(this.pick([0, 1, 100, 2.5]))
    const [left, right] = [this.#expression(names, depth - 1), this.#expression(names, depth - 1)]
    return this.chance(0.1) ? `-(${left})` : `(${left} ${this.pick(['+', '-', '*', '/'])} ${right})`
  }

  /** Chooses a field of the entity, or of an entity that up to three to-one relations lead to. */
  #field(root: QueryEntity, fits: (field: QueryEntityField) => boolean = () => true): Found {
    let [entity, path] = [root, '']
    const most = this.pick([0, 0, 0, 1, 1, 2, 3])
    for (let depth = 0; depth < most; depth++) {
      const ones = Object.entries(entity.relations).filter(([, { many }]) => !many)
      if (ones.length === 0) break
      const [name, { to }] = this.pick(ones)
      ;[entity, path] = [this.#dictionary.get(to)!, `${path}${name}.`]
    }
    const fields = Object.entries(entity.fields)
    const fitting = fields.filter(([, field]) => fits(field))
    const [name, field] = this.pick(fitting.length > 0 && !this.chance(0.03) ? fitting : fields)
    return { path: `${path}${name}`, field, isRelated: path !== '' }
  }

  #key(root: QueryEntity): { text: string; name: string; isPeriod: boolean } {
    const { path, field } = this.#field(root, ({ type }) => type !== 'money' || this.chance(0.3))
    const bucket = this.#bucket(field.type)
    const alias = this.chance(0.3) ? `key${Math.floor(this.#fraction() * 1000)}` : null
    const written = bucket === null ? path : `${path}:${bucket}`
    const name = alias ?? (bucket === null ? path : `${path}:${bucket.replace(/\(.*/, '')}`)
    return { text: alias === null ? written : `${written} as ${alias}`, name, isPeriod: PERIODS.includes(bucket ?? '') }
  }

  #bucket(type: FieldType): string | null {
    if (this.chance(0.03)) return this.pick([null, ...PERIODS, ...STEPS, 'hour'])
    if (type === 'instant') return this.pick([...PERIODS, 'hour', 'hourOfDay'])
    if (type === 'day') return this.pick([null, ...PERIODS])
    return NUMERIC.includes(type) ? this.pick([null, ...STEPS]) : null
  }

  #aggregate(root: QueryEntity): { text: string; name: string } {
    const fn = this.pick(['count', 'count', 'countDistinct', 'sum', 'avg', 'min', 'max', 'percentile'])
    const name = `m${Math.floor(this.#fraction() * 10_000)}`
    if (fn === 'count' && this.chance(0.5)) return { text: `count as ${name}`, name }
    const fits = ({ type }: QueryEntityField) =>
      fn.startsWith('count') || NUMERIC.includes(type) || ((fn === 'min' || fn === 'max') && (type === 'day' || type === 'instant'))
    let found = this.#field(root, fits)
    for (let tries = 0; tries < 5 && (!fits(found.field) || (found.isRelated && !this.chance(0.1))); tries++)
      found = this.#field(root, fits)
    return { text: `${fn}(${found.path}${fn === 'percentile' ? `, ${this.pick([0, 0.5, 0.9, 1])}` : ''}) as ${name}`, name }
  }

  #filterOf(root: QueryEntity): Query {
    return this.chance(0.6) ? { filter: this.#tree(root, 3) } : {}
  }

  #group(leaf: () => Tree, depth: number): Tree {
    if (depth === 0 || this.chance(0.45)) return leaf()
    return { [this.chance(0.5) ? 'all' : 'any']: this.some(3, () => this.#group(leaf, depth - 1), 0) }
  }

  #tree(root: QueryEntity, depth: number): Tree {
    return this.#group(() => (this.chance(0.2) ? this.#relation(root, depth) : this.#leaf(root)), depth)
  }

  #relation(root: QueryEntity, depth: number): Tree {
    const relations = Object.entries(root.relations)
    if (relations.length === 0) return this.#leaf(root)
    const [relation, { to }] = this.pick(relations)
    const where = this.chance(0.7) ? { where: this.#tree(this.#dictionary.get(to)!, Math.max(0, depth - 2)) } : {}
    return { relation, has: this.pick(['any', 'none']), ...where }
  }

  #leaf(root: QueryEntity): Tree {
    const many = Object.entries(root.relations).filter((one) => one[1].many)
    const over = many.length > 0 && this.chance(0.15) ? this.pick(many) : null
    const { path, field } = this.#field(over ? this.#dictionary.get(over[1].to)! : root)
    const op = this.chance(0.95) ? this.pick(FITTING[kindOf(field.type)]) : this.pick(CONDITION_OPERATORS)
    return { field: over ? `${over[0]}.${path}` : path, op, ...this.#valueOf(op, () => this.#value(field)) }
  }

  #valueOf(op: string, value: () => unknown): Tree {
    if (op === 'isSet' || op === 'isNotSet') return {}
    if (op === 'between') return { value: [value(), value()] }
    return { value: op === 'in' || op === 'notIn' ? this.some(4, value) : value() }
  }

  #value({ type, choices }: QueryEntityField): unknown {
    if (choices && this.chance(0.8)) return this.pick(choices)
    if (type === 'boolean') return this.chance(0.5)
    if (type === 'day') return this.pick(DAYS)
    if (type === 'instant') return this.pick(INSTANTS)
    if (type === 'money') return this.pick(AMOUNTS)
    return this.pick(NUMERIC.includes(type) ? NUMBERS : TEXTS)
  }
}
