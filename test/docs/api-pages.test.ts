import { describe, expect, it } from 'vitest'
import { buildOpenApiDocument } from '../../src/surfaces/rest/openapi.ts'
import { buildApiPages } from '../../src/surfaces/web/docs/api-pages.ts'

const document = buildOpenApiDocument('https://lanyard.example')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, tags, parameters = [] }]) => ({ request: `${method.toUpperCase()} ${path}`, operationId, tag: tags![0]!, parameters })),
)
const pages = new Map(buildApiPages().map(({ path, markdown }) => [path, markdown]))

describe('API reference', () => {
  it('lists every operation of the OpenAPI document, with a link to the section of the operation', () => {
    const index = pages.get('/docs/api')!
    for (const { request, operationId, tag } of operations) {
      expect(index).toContain(`\`${request}\``)
      expect(index).toContain(`(/docs/api/${tag}#${operationId.toLowerCase()})`)
      expect(pages.get(`/docs/api/${tag}`)).toContain(`\n## ${operationId}\n\n\`${request}\`\n`)
    }
    expect(pages.size).toBe(document.tags.length + 1)
  })

  it('describes every parameter of the API with its type', () => {
    for (const { tag, parameters, operationId } of operations) {
      const section = pages.get(`/docs/api/${tag}`)!.split(`\n## ${operationId}\n`)[1]!.split('\n## ')[0]!
      for (const { name } of parameters) expect(section).toMatch(new RegExp(`^\\| \`${name}\`[^|]*\\| \\w+ \\| \\S`, 'm'))
    }
    expect(pages.get('/docs/api/orders')).toContain('| `limit` | query | integer, 1 to 200, default `50` |')
    expect(pages.get('/docs/api/orders')).toContain('| `participantId` | query | id |')
    expect(pages.get('/docs/api/orders')).toContain('| `cursor` | query | cursor |')
  })

  it('links from a documented REST response to the next operations', () => {
    expect(pages.get('/docs/api/leads')).toContain('[getParticipant](/docs/api/participants#getparticipant): The participant that `participantId` names.')
    expect(pages.get('/docs/api/participants')).toContain('[listParticipants](/docs/api/participants#listparticipants): The next page')
  })
})
