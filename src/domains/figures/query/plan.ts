import type { Permission } from '../../../kernel/permissions.ts'
import { convertBindingToFieldPath } from '../dictionary/bindings.ts'
import { ACCESS_CLASS_PERMISSIONS } from '../dictionary/classes.ts'
import type { ComputedValuesName, QueryEntity, QueryEntityField, EntityRelation, FieldAccessClass } from '../dictionary/types.ts'
import { describeSimilarNames, createInvalidArgumentError } from './names.ts'
import { LazyValue } from './lazy-values.ts'
import type { QueryScope } from './scope.ts'

/** A field that a query uses, with the SQL that reads it. */
export interface QueryPlanField {
  path: string
  field: QueryEntityField
  class: FieldAccessClass
  sql: string
  /** SQL for the currency of a money field; null for the currency of the event. */
  currency: string | null
  /** Whether the field belongs to a related entity, so that its values may repeat. */
  isRelated: boolean
  /** The entity that has the field. */
  entity: QueryEntity
  /** SQL for the id of the person whom the value describes. */
  person: string
}

/** The part of a query in which a field is used: a result column, a group key or a filter. */
export type QueryFieldUsage = 'column' | 'key' | 'filter'

/** A permission that a query needs to read an entity, or to read protected fields such as personal data. */
export interface RequiredPermission {
  path: string
  permission: Permission
  use: QueryFieldUsage | 'entity'
}

const MAX_RELATIONS = 3
const MAX_JOINS = 8
/** Maximum number of bound values in one statement. PostgreSQL accepts at most 65,535. */
const MAX_VALUES = 20_000

/** The entities that can be queried at an event, with the event's custom fields. */
export type DataDictionary = ReadonlyMap<string, QueryEntity>

/** The tables, joins and bound values of one SQL statement while it is compiled. */
export class StatementPlan {
  readonly values: unknown[]
  readonly needs: RequiredPermission[]
  /**
   * Fields that filters use and that identify people: fields of class identity, personal or sensitive, and ids. A query whose small groups
   * must be merged for the caller may not filter by them.
   */
  readonly filteredPersons: string[]
  readonly root: QueryEntity
  readonly row: string
  readonly dictionary: DataDictionary
  readonly scope: QueryScope
  readonly #source: string
  readonly #joins = new Map<string, { row: string; entity: QueryEntity; sql: string }>()
  readonly #count: { joins: number }
  #usesEvent = false

  constructor(dictionary: DataDictionary, scope: QueryScope, root: QueryEntity, parent?: StatementPlan) {
    this.dictionary = dictionary
    this.scope = scope
    this.root = root
    this.values = parent?.values ?? []
    this.needs = parent?.needs ?? []
    this.filteredPersons = parent?.filteredPersons ?? []
    this.#count = parent ? parent.#count : { joins: 0 }
    this.row = parent ? `s${++this.#count.joins}` : 'r'
    if (parent) this.#requireFewJoins()
    const startsAcross = parent || scope.event ? undefined : root.sourceAcross
    this.#source =
      startsAcross?.({ tenant: this.bind(scope.tenantId, 'integer'), events: this.bind([...scope.eventIds], 'text[]') }) ?? root.source
    this.needEntity(root)
  }

  /** Number of joins to other entities in the statement. */
  get joinCount(): number {
    return this.#count.joins
  }

  /** Adds a value to the statement and returns its placeholder. */
  bind(value: unknown, type: string): string {
    if (this.values.length >= MAX_VALUES) throw createInvalidArgumentError('filter', 'compares with too many values')
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }

  /**
   * Resolves a path such as `order.total` and adds the joins it needs. Paths over to-many relations are rejected, because only filters
   * support them (filter.ts).
   */
  field(written: string, at: string, use: QueryFieldUsage): QueryPlanField {
    const path = this.normalize(written)
    let [row, entity] = [this.row, this.root]
    const parts = path.split('.')
    let depth = 0
    while (parts.length > 1) {
      const relation = findRelation(entity, parts[0]!)
      if (!relation) break
      if (relation.many) throw this.toManyError(path, entity, parts[0]!, at)
      if (++depth > MAX_RELATIONS) throw createInvalidArgumentError(at, `${written} leads over more than ${MAX_RELATIONS} relations`)
      ;({ row, entity } = this.#join(path.split('.').slice(0, depth).join('.'), row, entity, parts.shift()!))
    }
    const name = parts.join('.')
    const field = findEntityField(entity, name)
    if (!field) throw this.unknownField(written, entity, name, at)
    const fieldClass = field.class ?? 'open'
    const needed = ACCESS_CLASS_PERMISSIONS[fieldClass].result
    if (needed) this.needs.push({ path: written, permission: needed, use })
    if (use === 'filter' && (fieldClass !== 'open' || field.type === 'id')) this.filteredPersons.push(written)
    return {
      path,
      field,
      class: fieldClass,
      sql: field.computedFrom ? field.sql(row, this.#bindComputedValues(field.computedFrom, written, at)) : field.sql(row),
      currency: field.currency?.(row) ?? null,
      isRelated: depth > 0,
      entity,
      person: personSql(entity, row),
    }
  }

  /** Adds a parameter whose value is computed just before the statement runs. */
  #bindComputedValues(name: ComputedValuesName, written: string, at: string): string {
    const read = this.scope.readComputedValues
    if (!read) throw createInvalidArgumentError(at, `${written} is computed for one event at a time: use query_data`)
    return this.bind(new LazyValue(() => read(name)), 'jsonb')
  }

  /** Returns a field path relative to the query's entity: converts form field bindings, and removes the entity's own name. */
  normalize(written: string): string {
    const path = convertBindingToFieldPath(written, this.root)
    const [first, ...rest] = path.split('.')
    return rest.length > 0 && first === this.root.name && !findRelation(this.root, first) ? rest.join('.') : path
  }

  /** Finds the first to-many relation on a field path, with the rest of the path after it; null if there is none. */
  findToMany(written: string): { relations: string[]; rest: string } | null {
    const parts = this.normalize(written).split('.')
    let entity = this.root
    for (let depth = 0; depth < parts.length - 1; depth++) {
      const relation = findRelation(entity, parts[depth]!)
      if (!relation) return null
      if (relation.many) return { relations: parts.slice(0, depth + 1), rest: parts.slice(depth + 1).join('.') }
      entity = this.entity(relation.to)
    }
    return null
  }

  /** Starts a subquery over a relation of this row. Returns the subquery's plan, and the condition that joins its rows with this row. */
  relate(relations: readonly string[], at: string): { plan: StatementPlan; tie: string } {
    let [row, entity] = [this.row, this.root]
    if (relations.length > MAX_RELATIONS) throw createInvalidArgumentError(at, `leads over more than ${MAX_RELATIONS} relations`)
    for (const [i, name] of relations.slice(0, -1).entries()) {
      const step = findRelation(entity, name)
      if (!step) throw this.unknownRelation(entity, name, at)
      if (step.many)
        throw createInvalidArgumentError(
          at,
          `${name} has many values for each ${entity.name}: name it alone, and the next relation in its where`,
        )
      ;({ row, entity } = this.#join(relations.slice(0, i + 1).join('.'), row, entity, name))
    }
    const name = relations.at(-1)!
    const relation = findRelation(entity, name)
    if (!relation) throw this.unknownRelation(entity, name, at)
    const plan = new StatementPlan(this.dictionary, this.scope, this.entity(relation.to), this)
    return { plan, tie: `${relation.on(row, plan.row)} and ${plan.scopeCondition(relation.acrossEvents ? null : this.row)}` }
  }

  entity(name: string): QueryEntity {
    const entity = this.dictionary.get(name)
    if (!entity) throw new Error(`The dictionary has no entity ${name}`)
    return entity
  }

  /**
   * Returns the alias of the event's row, which is joined when first used. Queries over one event use the event's facts as bound values
   * instead.
   */
  eventRow(): string {
    this.#usesEvent = true
    return `${this.row}_event`
  }

  /** Returns SQL for the time zone in which instants of a row are assigned to days. */
  zone(): string {
    return this.scope.event ? this.bind(this.scope.event.timezone, 'text') : `${this.eventRow()}.timezone`
  }

  /** SQL condition that a row belongs to the events of the query. Every table of a statement has this condition. */
  scopeCondition(root: string | null): string {
    const { tenantId, eventIds } = this.scope
    const tenant = `${this.row}.tenant_id = ${this.bind(tenantId, 'integer')}`
    if (root !== null && !this.scope.event) return `${tenant} and ${this.row}.event_id = ${root}.event_id`
    const event = this.scope.event ? `= ${this.bind(eventIds[0], 'text')}` : `= any(${this.bind([...eventIds], 'text[]')})`
    return `${tenant} and ${this.row}.event_id ${event}`
  }

  /** Returns the FROM clause with all joins that were used so far. */
  from(): string {
    const event = this.#usesEvent
      ? [
          ` join events ${this.row}_event on ${this.row}_event.tenant_id = ${this.row}.tenant_id and ${this.row}_event.id = ${this.row}.event_id`,
        ]
      : []
    return [`${this.#source} ${this.row}`, ...event, ...[...this.#joins.values()].map(({ sql }) => sql)].join('')
  }

  needEntity({ name, area }: QueryEntity): void {
    this.needs.push({ path: name, permission: `${area}.read`, use: 'entity' })
  }

  #join(path: string, from: string, entity: QueryEntity, name: string): { row: string; entity: QueryEntity } {
    const known = this.#joins.get(path)
    if (known) return known
    const relation = findRelation(entity, name)!
    const to = this.entity(relation.to)
    const row = `j${++this.#count.joins}`
    this.#requireFewJoins()
    // Fields of the event need no permission, because list_my_events shows them to everyone who works at the event.
    if (to.name !== 'event') this.needEntity(to)
    const tenant = `${row}.tenant_id = ${this.bind(this.scope.tenantId, 'integer')}`
    const sql = ` left join ${to.source} ${row} on ${relation.on(from, row)} and ${tenant} and ${row}.event_id = ${from}.event_id`
    const joined = { row, entity: to, sql }
    this.#joins.set(path, joined)
    return joined
  }

  #requireFewJoins(): void {
    if (this.#count.joins > MAX_JOINS) throw createInvalidArgumentError('', `a query joins at most ${MAX_JOINS} other entities`)
  }

  toManyError(path: string, entity: QueryEntity, relation: string, at: string) {
    const to = entity.relations[relation]!.to
    return createInvalidArgumentError(
      at,
      `${path} has many values for each ${entity.name}: start from the entity ${to}, or use it in a filter`,
    )
  }

  unknownRelation(entity: QueryEntity, name: string, at: string) {
    return createInvalidArgumentError(
      at,
      `${entity.name} has no relation "${name.slice(0, 60)}". ${describeSimilarNames(name, Object.keys(entity.relations))}`,
    )
  }

  unknownField(written: string, entity: QueryEntity, name: string, at: string) {
    const known = [...Object.keys(entity.fields), ...Object.keys(entity.relations)]
    return createInvalidArgumentError(at, `${entity.name} has no field "${name.slice(0, 80)}". ${describeSimilarNames(name, known)}`)
  }
}

/**
 * Finds a relation of an entity by its name. The name comes from the caller, so a property that every object inherits, such as
 * `constructor`, is not a relation.
 */
export const findRelation = (entity: QueryEntity, name: string): EntityRelation | undefined =>
  Object.hasOwn(entity.relations, name) ? entity.relations[name] : undefined

export const findEntityField = (entity: QueryEntity, name: string): QueryEntityField | undefined =>
  Object.hasOwn(entity.fields, name) ? entity.fields[name] : undefined

/** SQL for the id of the participant to whom a row belongs; the row's own id if its entity has no participant. */
const personSql = (entity: QueryEntity, row: string): string =>
  entity.name === 'participant' ? `${row}.id` : (findEntityField(entity, 'participantId')?.sql(row) ?? `${row}.id`)
