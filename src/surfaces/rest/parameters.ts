import type { Entity } from '../../domains/entities/entity.ts'
import { flag, instant, text } from '../../domains/entities/schemas.ts'
import { MOST } from '../../domains/entities/statements.ts'
import type { Parameter } from './query.ts'

/** How many records a page has. */
export const LISTED = { default: 50, maximum: MOST }

const includeTestData: Parameter = {
  name: 'includeTestData',
  about: 'Whether records of test data are there too, marked isTestData. The same on every page of a sync.',
  schema: { ...flag(), default: false },
}

/** Of one record. */
export const ONE: readonly Parameter[] = [includeTestData]

const LIST: readonly Parameter[] = [
  {
    name: 'limit',
    about: 'Records on a page at most: one of long records ends sooner.',
    schema: { type: 'integer', minimum: 1, maximum: LISTED.maximum, default: LISTED.default },
  },
  { name: 'cursor', about: 'The nextCursor of the page before, with the same filters. Left out: the first page.', schema: text() },
  {
    name: 'updatedSince',
    about: 'Only what changed after this instant. Keep the largest updatedAt you saw and pass it the next time: nothing is missed.',
    schema: instant(),
  },
  includeTestData,
  { name: 'tenantCode', about: 'Only of this tenant.', schema: text() },
  { name: 'clientCode', about: 'Only of this client.', schema: text() },
  { name: 'eventCode', about: 'Only of this event. Needs clientCode where several clients have an event of that code.', schema: text() },
]

export const parametersOf = ({ at, filters }: Entity): readonly Parameter[] => [
  ...LIST.filter(({ name }) => name !== 'eventCode' || at !== 'client'),
  ...filters.map(({ name, schema }) => ({ name, schema, about: `Only records with this ${name}.` })),
]
