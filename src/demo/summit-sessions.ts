import type { EventContext } from '../kernel/context.ts'
import { wallTimeToInstant } from '../kernel/time.ts'
import { createSession } from '../domains/sessions/sessions.ts'
import { createSpeaker } from '../domains/sessions/speakers.ts'
import { decideSubmissions } from '../domains/submissions/decide.ts'
import { createSubmission } from '../domains/submissions/submissions.ts'

const SPEAKERS = {
  marta: ['Marta', 'Nunes', 'Chief engineer', 'Ponte & Filhos'],
  joao: ['João', 'Sequeira', 'Structural engineer', 'Arco'],
  ines: ['Inês', 'Carvalho', 'Head of platform', 'Estuary'],
  tom: ['Tom', 'Okafor', 'Researcher', 'University of Porto'],
  lena: ['Lena', 'Brandt', 'Designer', 'Dunlin Design'],
  rui: ['Rui', 'Tavares', 'Database engineer', 'Borealis Systems'],
  sofia: ['Sofia', 'Almeida', 'On-call lead', 'Gannet'],
  aiko: ['Aiko', 'Mori', 'Author', 'Shore Books'],
} as const

interface Planned {
  day: 11 | 12 | 13
  from: string
  title: string
  room: 'river' | 'garden'
  track: 'build' | 'run'
  by: readonly (keyof typeof SPEAKERS)[]
  abstract?: string
  capacity?: number
  /** The product that a workshop requires. */
  product?: string
}

const PROGRAM: readonly Planned[] = [
  {
    day: 11,
    from: '09:30',
    title: 'Opening: things that outlive their makers',
    room: 'river',
    track: 'build',
    by: ['marta'],
    abstract: 'A bridge is built once and maintained for two hundred years. What we can learn from the people who maintain it.',
  },
  { day: 11, from: '10:30', title: 'What a bridge knows about software', room: 'river', track: 'build', by: ['joao'] },
  { day: 11, from: '10:30', title: 'Small teams, large systems', room: 'garden', track: 'run', by: ['ines'], capacity: 3 },
  {
    day: 11,
    from: '14:00',
    title: 'Forms people finish',
    room: 'garden',
    track: 'build',
    by: ['lena'],
    capacity: 20,
    product: 'workshop-design',
  },
  { day: 11, from: '15:00', title: 'Maps of what breaks', room: 'river', track: 'run', by: ['tom', 'ines'] },
  { day: 12, from: '09:30', title: 'On call without dread', room: 'river', track: 'run', by: ['sofia'] },
  { day: 12, from: '10:30', title: 'Queries that age well', room: 'river', track: 'build', by: ['rui'] },
  { day: 12, from: '10:30', title: 'Reading code as a stranger', room: 'garden', track: 'build', by: ['aiko'], capacity: 45 },
  {
    day: 12,
    from: '14:00',
    title: 'Numbers you can trust',
    room: 'garden',
    track: 'run',
    by: ['rui'],
    capacity: 20,
    product: 'workshop-data',
  },
  { day: 12, from: '16:00', title: 'Writing things down', room: 'river', track: 'run', by: ['aiko', 'tom'] },
  { day: 13, from: '09:30', title: 'Repair as a craft', room: 'river', track: 'build', by: ['joao'] },
  { day: 13, from: '10:30', title: 'Leaving well: handing over what you built', room: 'garden', track: 'run', by: ['sofia'], capacity: 45 },
  { day: 13, from: '11:30', title: 'Closing: what we take home', room: 'river', track: 'build', by: ['marta', 'lena'] },
]

/**
 * Creates thirteen sessions with speakers in two rooms over three days, and returns their ids in program order. One session is too small,
 * to show its waiting list.
 */
export async function seedSessions(ctx: EventContext): Promise<string[]> {
  const speakers = await seedSpeakers(ctx)
  const ids: string[] = []
  for (const { day, from, title, room, track, by, abstract, capacity, product } of PROGRAM) {
    const { id } = await createSession(ctx, {
      title,
      trackCode: track,
      formatCode: product ? 'workshop' : 'talk',
      roomCode: room,
      startsAt: wallTimeToInstant(ctx.event.timezone, `2027-05-${day}T${from}`),
      speakers: by.map((key) => ({ speakerId: speakers.get(key)! })),
      ...(abstract ? { abstract } : {}),
      ...(capacity ? { capacity } : {}),
      ...(product ? { productCode: product } : {}),
    })
    ids.push(id)
  }
  await seedSubmissions(ctx, speakers)
  return ids
}

type SpeakerIds = ReadonlyMap<string, string>

async function seedSpeakers(ctx: EventContext): Promise<SpeakerIds> {
  const speakers = new Map<string, string>()
  for (const [key, [firstName, lastName, jobTitle, company]] of Object.entries(SPEAKERS)) {
    const email = `${key}@example.org`
    const { id } = await createSpeaker(ctx, { firstName, lastName, jobTitle, company, email, country: 'PT', status: 'confirmed' })
    speakers.set(key, id)
  }
  return speakers
}

/** Proposals of the call for papers: two wait for a time slot, one for reviews, and one for the decision. */
const PROPOSALS = [
  {
    title: 'Instruments for a small boat',
    abstract: 'What a sailing boat measures, what it ignores, and why its crew trusts three numbers more than thirty.',
    track: 'build',
    by: 'tom',
    status: 'accepted',
  },
  {
    title: 'The last maintainer',
    abstract: 'How a library with one maintainer became a library with five, in a year and without a budget.',
    track: 'run',
    by: 'sofia',
    status: 'accepted',
  },
  {
    title: 'Estimates that survive contact',
    abstract: 'Two hundred estimates, what they said and what happened. Which of the usual methods were better than a guess.',
    track: 'build',
    by: 'ines',
    status: 'submitted',
  },
  {
    title: 'Alarms that go unread',
    abstract: 'A field study of 40 teams: which alarms people answer at night, and which they have learned to ignore.',
    track: 'run',
    by: 'rui',
    status: 'submitted',
    decision: 'accepted',
  },
] as const

async function seedSubmissions(ctx: EventContext, speakers: SpeakerIds): Promise<void> {
  for (const { title, abstract, track, by, status, ...more } of PROPOSALS) {
    const { number } = await createSubmission(ctx, {
      title,
      abstract,
      trackCode: track,
      formatCode: 'talk',
      status,
      speakers: [{ speakerId: speakers.get(by)! }],
    })
    if ('decision' in more) await decideSubmissions(ctx, [{ number, decision: more.decision }], true)
  }
}
