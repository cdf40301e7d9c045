import { describe, expect, it } from 'vitest'
import { toOneLine, code, count, list, object, oneOf, secretText, text } from '../../src/kernel/args.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { eventTool, type Tool } from '../../src/kernel/tool.ts'
import { decodeToolArguments } from '../../src/surfaces/mcp/decode-arguments.ts'

const TOOL_BASICS = { title: 'x', description: 'x', effect: 'change', permission: null, output: {} } as const
const run = () => Promise.resolve({})

const Line = object({
  code: code(),
  amount: count(1, 5),
  kind: oneOf(['sale', 'credit']).optional(),
  key: secretText(5).optional(),
})
const planted = eventTool({
  ...TOOL_BASICS,
  name: 'planted',
  input: {
    search: text(20).optional(),
    startsOn: text(20).optional(),
    note: text(20).optional(),
    operations: toOneLine(list(Line), 'in a line').optional(),
    name: text(20).optional(),
  },
  run,
})

function fieldsOf(tool: Tool, sent: Record<string, unknown>) {
  try {
    decodeToolArguments(tool, { eventCode: 'e', ...sent })
  } catch (error) {
    return Object.fromEntries((error as AppError).details.fields!.map(({ path, message }) => [path, message]))
  }
  return null
}

describe('unknown argument of a tool call', () => {
  it.each([
    ['query', 'search'],
    ['text', 'search'],
    ['title', 'name'],
    ['startDate', 'startsOn'],
    ['start_date', 'startsOn'],
    ['message', 'note'],
    ['ops', 'operations'],
    ['operation', 'operations'],
    ['Search', 'search'],
  ])('answers the unknown argument %s with the suggestion %s', (sent, meant) => {
    expect(fieldsOf(planted, { [sent]: 'x' })).toEqual({ [sent]: `is not an argument — did you mean ${meant}?` })
  })

  it('lists all argument names for an unknown argument without a similar known name', () => {
    expect(fieldsOf(planted, { zzqx: 1 })).toEqual({
      zzqx: 'is not an argument; known arguments: eventCode, clientCode, search, startsOn, note, operations, name',
    })
  })

  it('reports an unknown argument inside an object, although the schema of the object is shortened for clients', () => {
    expect(fieldsOf(planted, { operations: [{ code: 'a', amount: 1, kinds: 'sale', zzqx: 1 }] })).toEqual({
      'operations/0/kinds': 'is not an argument — did you mean kind?',
      'operations/0/zzqx': 'is not an argument; known arguments: code, amount, kind, key',
    })
  })
})

describe('wrong or missing argument of a tool call', () => {
  it('describes the valid values of wrong or missing arguments, with all problems in one error', () => {
    expect(fieldsOf(planted, { operations: 'x', search: 7 })).toEqual({
      operations:
        '"x" is not a list: it takes a list of { code: a code such as summit-2027, amount: a whole number from 1 to 5, kind?: one of sale, credit, key? }',
      search: '7 is not a text — did you mean "7"?',
    })
    expect(fieldsOf(planted, { operations: [{ amount: 9, kind: 'gift' }, 'no'] })).toEqual({
      'operations/0/code': 'is required: a code such as summit-2027',
      'operations/0/amount': '9: at most 5 (a whole number from 1 to 5)',
      'operations/0/kind': '"gift" is not one of sale, credit',
      'operations/1':
        '"no" is not an object: it takes { code: a code such as summit-2027, amount: a whole number from 1 to 5, kind?: one of sale, credit, key? }',
    })
  })

  it('groups errors that many items of a list have in common, so that other errors are reported too', () => {
    const lines = Array.from({ length: 200 }, (_, n) => ({ code: n % 2 ? 'a' : '', amount: n === 199 ? 9 : 1 }))
    expect(fieldsOf(planted, { operations: lines, search: 7 })).toEqual({
      'operations/0/code': expect.stringMatching(/^"": a code has/),
      'operations/2/code': expect.stringMatching(/^"": a code has/),
      'operations/4/code': expect.stringMatching(
        / \(97 more like this, at operations\/6\/code, operations\/8\/code, operations\/10\/code and so on\)$/,
      ),
      'operations/199/amount': '9: at most 5 (a whole number from 1 to 5)',
      search: '7 is not a text — did you mean "7"?',
    })
  })

  it('never repeats the value of a secret argument in an error, at any depth', () => {
    const refused = fieldsOf(planted, { operations: [{ code: 'a', amount: 1, key: 'hunter2-hunter2' }] })
    expect(refused).toEqual({ 'operations/0/key': 'the value: at most 5 characters' })
  })

  it('accepts JSON text and empty text for arguments inside objects, although the schema of the objects is shortened for clients', () => {
    const args = { eventCode: 'e', operations: ['{"code":"a","amount":2,"kind":""}'] }
    expect(decodeToolArguments(planted, args)).toEqual({ eventCode: 'e', operations: [{ code: 'a', amount: 2 }] })
  })

  it('reports an argument named __proto__ like any other unknown argument', () => {
    const sent = JSON.parse('{"eventCode":"e","__proto__":{"search":"x"}}') as Record<string, unknown>
    expect(() => decodeToolArguments(planted, sent)).toThrow('__proto__: is not an argument')
  })
})
