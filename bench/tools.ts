import { count, day, id, list, money, object, oneOf, untrustedText, pageArguments, pageResult, text } from '../src/kernel/args.ts'
import { eventTool, type Tool } from '../src/kernel/tool.ts'
import { fixtureToolset } from '../test/support/fixture-tools/index.ts'

const SIZE = 234
const VERBS = ['List', 'Get', 'Create', 'Update', 'Cancel', 'Export'] as const
const NOUNS = [
  'registrations',
  'room blocks',
  'sessions',
  'exhibitors',
  'invoices',
  'speakers',
  'badges',
  'campaigns',
  'suppliers',
] as const

const Entry = object({
  id: id(),
  name: untrustedText(),
  status: oneOf(['open', 'confirmed', 'cancelled']),
  total: money(),
  seats: count(),
})

/** A tool that reads no data and no event, so that only the cost of the call pipeline is measured. */
export const echo = fixtureToolset.tools.find((tool) => tool.name === 'fixture_echo')!

const synthetic = Array.from({ length: SIZE - 1 }, (_, i): Tool => {
  const verb = VERBS[i % VERBS.length]!
  const noun = NOUNS[i % NOUNS.length]!
  return eventTool({
    name: `${verb.toLowerCase()}_${noun.replace(' ', '_')}_${i}`,
    title: `${verb} ${noun} ${i}`,
    description: `${verb} the ${noun} of an event, newest first. Use to answer how many there are, who they belong to and what is still open. Not for changing one of them. Has no side effect. Returns a page and nextCursor while there is more.`,
    effect: 'read',
    permission: 'events.read',
    input: {
      status: oneOf(['open', 'confirmed', 'cancelled']).optional(),
      changedSince: day().optional(),
      owner: text(100).optional(),
      ...pageArguments,
    },
    output: { entries: list(Entry), total: count(), ...pageResult },
    run: () => Promise.resolve({ entries: [], total: 0, nextCursor: null }),
  })
})

/** As many tools as the whole product has, each with a definition about as large as that of a real tool. */
export const listedTools: readonly Tool[] = [...synthetic, echo]
