import { REST_ENTITIES } from '../../domains/entities/catalogue.ts'
import type { RestEntity } from '../../domains/entities/entity.ts'
import { type Schema } from '../../domains/entities/schemas.ts'
import { listEntityFields } from '../../domains/entities/statements.ts'

/** An OpenAPI link: a request that can follow a response, and where in the response its parameters are. */
export interface OpenApiLink {
  operationId: string
  description: string
  parameters: Record<string, string>
}

export type OpenApiLinks = Record<string, OpenApiLink>

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export const getEntitySchemaName = ({ name }: RestEntity) => capitalize(name)
export const getEntityPathName = ({ path }: RestEntity) => capitalize(path)

/** Properties whose name does not show the kind of record that they reference. */
const REFERENCED_KINDS: Record<string, string> = { hostId: 'participant', substitutedById: 'participant', mergedInto: 'contact' }

const nextPage = (operationId: string, more: Record<string, string> = {}): OpenApiLinks => ({
  next: {
    operationId,
    description: 'The next page, with the same filters.',
    parameters: { ...more, cursor: '$response.body#/pageInfo/nextCursor' },
  },
})

/** OpenAPI links from a list page to the next page and to each of its records. */
export const buildListPageLinks = (entity: RestEntity): OpenApiLinks => ({
  ...nextPage(`list${getEntityPathName(entity)}`),
  ...(entity.bare
    ? {}
    : {
        record: {
          operationId: `get${getEntitySchemaName(entity)}`,
          description: 'A record of the page.',
          parameters: { id: '$response.body#/data/0/id' },
        },
      }),
})

/** OpenAPI links from a record to the records that it references, and to the lists that can be filtered by it. */
export function buildRecordLinks(entity: RestEntity): OpenApiLinks {
  const named = listEntityFields(entity).flatMap(({ name, schema }): [string, OpenApiLink][] => {
    const kind = REFERENCED_KINDS[name] ?? name.replace(/Id$/, '')
    const referenced = isId(schema) ? REST_ENTITIES.find((one) => one.name === kind) : undefined
    if (!referenced) return []
    const description = `The ${kind} that \`${name}\` names.`
    return [[name, { operationId: `get${getEntitySchemaName(referenced)}`, description, parameters: { id: `$response.body#/${name}` } }]]
  })
  const lists = REST_ENTITIES.filter(({ filters }) => filters.some(({ name }) => name === `${entity.name}Id`)).map(
    (one): [string, OpenApiLink] => {
      const description = `The ${one.path} of this ${entity.name}.`
      return [
        one.path,
        { operationId: `list${getEntityPathName(one)}`, description, parameters: { [`${entity.name}Id`]: '$response.body#/id' } },
      ]
    },
  )
  const files = listEntityFields(entity).flatMap(({ name, schema }): [string, OpenApiLink][] =>
    schema.description?.includes('/v1/files/')
      ? [[name, { operationId: 'getFile', description: `The file that \`${name}\` names.`, parameters: { id: `$response.body#/${name}` } }]]
      : [],
  )
  return Object.fromEntries([...named, ...lists, ...files])
}

const isId = ({ pattern }: Schema) => pattern === '^[0-9a-f]{24}$'

const ofWebhook = (id: string, ...operations: [name: string, operationId: string, description: string][]): OpenApiLinks =>
  Object.fromEntries(operations.map(([name, operationId, description]) => [name, { operationId, description, parameters: { id } }]))

const WEBHOOK_USES = [
  ['update', 'updateWebhook', 'Update this webhook.'],
  ['delete', 'deleteWebhook', 'Delete this webhook.'],
  ['secret', 'renewWebhookSecret', 'Create a new secret.'],
  ['test', 'testWebhook', 'Send a test message.'],
  ['deliveries', 'listDeliveries', 'The messages that were sent to it.'],
  ['replay', 'replayDeliveries', 'Send messages again.'],
] as [string, string, string][]

/** OpenAPI links of operations that do not belong to an entity. */
export const LINKS_BY_OPERATION_ID: Record<string, OpenApiLinks> = {
  listWebhooks: ofWebhook('$response.body#/data/0/id', ['webhook', 'getWebhook', 'A webhook of the list.']),
  createWebhook: ofWebhook('$response.body#/id', ['webhook', 'getWebhook', 'The new webhook.'], ...WEBHOOK_USES),
  getWebhook: ofWebhook('$response.body#/id', ...WEBHOOK_USES),
  listDeliveries: {
    ...nextPage('listDeliveries', { id: '$request.path.id' }),
    replay: {
      operationId: 'replayDelivery',
      description: 'Send a message of the page again.',
      parameters: { id: '$request.path.id', messageId: '$response.body#/data/0/messageId' },
    },
  },
  listDeviceLeads: nextPage('listDeviceLeads'),
}
