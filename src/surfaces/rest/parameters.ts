import type { RestEntity } from '../../domains/entities/entity.ts'
import { entityCodeSchema, pageCursorSchema, booleanSchema, instantInputSchema } from '../../domains/entities/schemas.ts'
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../../domains/entities/statements.ts'
import type { QueryParameter } from './query.ts'

/** The default and the maximum number of records per page. */
export const PAGE_SIZE_LIMITS = { default: DEFAULT_PAGE_ROWS, maximum: MAX_PAGE_ROWS }

const includeTestData: QueryParameter = {
  name: 'includeTestData',
  about: 'Whether to include test data, marked isTestData. Use the same value on every page of a sync.',
  schema: { ...booleanSchema(), default: false },
}

/** Parameters for reading one record. */
export const RECORD_QUERY_PARAMETERS: readonly QueryParameter[] = [includeTestData]

const LIST_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'limit',
    about: 'Maximum number of records per page. Pages of large records may have fewer.',
    schema: { type: 'integer', minimum: 1, maximum: PAGE_SIZE_LIMITS.maximum, default: PAGE_SIZE_LIMITS.default },
  },
  {
    name: 'cursor',
    about: 'The nextCursor of the previous page, with the same filters. Omit it for the first page.',
    schema: pageCursorSchema(),
  },
  {
    name: 'updatedSince',
    about: 'Only records that changed after this instant. Pass the largest updatedAt you have received to get everything since.',
    schema: instantInputSchema(),
  },
  includeTestData,
  { name: 'tenantCode', about: 'Only records of this tenant.', schema: entityCodeSchema() },
  { name: 'clientCode', about: 'Only records of this client.', schema: entityCodeSchema() },
  {
    name: 'eventCode',
    about: 'Only records of this event. Requires clientCode if several clients have an event with this code.',
    schema: entityCodeSchema(),
  },
]

export const listEntityParameters = ({ at, filters }: RestEntity): readonly QueryParameter[] => [
  ...LIST_PARAMETERS.filter(({ name }) => name !== 'eventCode' || at !== 'client'),
  ...filters.map(({ name, schema }) => ({ name, schema, about: `Only records with this ${name}.` })),
]
