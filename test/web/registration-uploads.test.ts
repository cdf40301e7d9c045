import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { SAMPLE_FILES } from '../support/samples.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

const LIMIT = 50 * 1024 * 1024
const FIELDS = ['passport', 'visa', 'letter'] as const
const [attendee] = WORKED_EXAMPLE.flows
const [contact, ...others] = attendee!.pages

/** Three questions for files of up to 50 MB each on the first page. */
const SECTIONS = {
  ...WORKED_EXAMPLE,
  customFields: FIELDS.map((code) => ({ code, name: code, responseType: 'file', maxBytes: LIMIT })),
  flows: [
    {
      ...attendee!,
      pages: [
        {
          ...contact!,
          widgets: [...contact!.widgets, ...FIELDS.map((code) => ({ id: code, type: 'field', binding: `@custom.${code}` }))],
        },
        ...others,
      ],
    },
  ],
}

let scenario: SalesScenario
let served: Served
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

const picture = (name: string) => new File([new Uint8Array(SAMPLE_FILES.png)], name, { type: 'image/png' })

const storedBytes = async () =>
  (await readdir(join(scenario.world.dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()
const filesOf = async (participantId: string) =>
  (await rows(`select id, name from files where owner_id = $1 order by name`, [participantId])) as { id: string; name: string }[]
/** Makes the recorded size of a file this large, which is faster than to upload so many bytes. */
const growFile = (participantId: string, name: string, size: number) =>
  rows('update files set size = $3 where owner_id = $1 and name = $2', [participantId, name, size])
/** Every row and every stored object belongs to a current answer, and no upload is left over. */
async function expectNothingLeftOver() {
  const answered = await rows(`select value as id from participants, jsonb_each_text(custom_field_responses) where key = any($1)`, [FIELDS])
  const ids = answered.map(({ id }) => id as string).toSorted()
  expect((await rows('select id from files order by id')).map(({ id }) => id)).toEqual(ids)
  expect(await rows('select id from file_uploads')).toEqual([])
  expect(await storedBytes()).toEqual(ids)
}

let made = 0
async function beginRegistration() {
  const email = `uploader-${++made}@example.org`
  const form = openFormAs(visitor(served), scenario.event)
  await form.begin(email)
  const [{ id }] = await rows('select id from participants where email = $1', [email])
  const name = { '@participant.firstName': 'Jo', '@participant.lastName': `Uploader ${made}`, '@participant.email': email }
  return {
    id: id as string,
    email,
    name,
    form,
    send: (files: Record<string, File>, press = 'next') => form.fill('contact', name, { press, files }),
  }
}

describe('uploads of a registration in progress', () => {
  it('replaces earlier uploads of a registration, whose rows and bytes are deleted', async () => {
    const { id, send } = await beginRegistration()
    expect((await send({ '@custom.visa': picture('one.png'), '@custom.letter': picture('letter.png') })).status).toBe(303)
    expect((await send({ '@custom.visa': picture('two.png') })).status).toBe(303)
    expect((await send({ '@custom.visa': picture('three.png') }, 'update')).status).toBe(303)
    expect((await filesOf(id)).map(({ name }) => name)).toEqual(['letter.png', 'three.png'])
    await expectNothingLeftOver()
  })

  it('control: finds an upload that no answer refers to, and accepts more than 50 MB if sizes are not recorded', async () => {
    const { id, send } = await beginRegistration()
    await send({ '@custom.visa': picture('one.png') })
    const answers = await rows('select custom_field_responses as before from participants where id = $1', [id])
    await rows(`update participants set custom_field_responses = '{}' where id = $1`, [id])
    await expect(expectNothingLeftOver()).rejects.toThrow()
    await rows(`update participants set custom_field_responses = $2 where id = $1`, [id, JSON.stringify(answers[0].before)])
    await growFile(id, 'one.png', LIMIT)
    expect((await send({ '@custom.letter': picture('two.png') })).status).toBe(400)
    await growFile(id, 'one.png', 1)
    expect((await send({ '@custom.letter': picture('two.png') })).status).toBe(303)
    await expectNothingLeftOver()
  })

  it('limits the uploads of a registration to 50 MB, not counting replaced ones', async () => {
    const { id, send } = await beginRegistration()
    expect((await send({ '@custom.passport': picture('a.png') })).status).toBe(303)
    await growFile(id, 'a.png', LIMIT - picture('').size + 1)
    const refused = await send({ '@custom.visa': picture('b.png') })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('All files of a registration together may have at most 50 MB.')
    expect((await filesOf(id)).map(({ name }) => name)).toEqual(['a.png'])
    await expectNothingLeftOver()
    await growFile(id, 'a.png', LIMIT - picture('').size)
    expect((await send({ '@custom.visa': picture('b.png') })).status).toBe(303)
    expect((await send({ '@custom.letter': picture('c.png') })).status).toBe(400)
    // The large file is replaced, which leaves room for another one in the same form.
    expect((await send({ '@custom.letter': picture('c.png'), '@custom.passport': picture('d.png') })).status).toBe(303)
    expect((await filesOf(id)).map(({ name }) => name)).toEqual(['b.png', 'c.png', 'd.png'])
    await expectNothingLeftOver()
  })

  it('deletes uploads sent with refused answers or with the button that only extends a hold', async () => {
    const { form, name, send } = await beginRegistration()
    await form.fill('contact', { ...name, '@participant.firstName': '' }, { files: { '@custom.visa': picture('kept.png') } })
    await expectNothingLeftOver()
    await send({ '@custom.visa': picture('unused.png') }, 'longer')
    await expectNothingLeftOver()
  })

  it('deletes the uploads if the same person is already registered', async () => {
    const { email } = await beginRegistration()
    await scenario.register({}, { data: { '@participant.firstName': 'Jo', '@participant.lastName': 'Twin', '@participant.email': email } })
    const second = openFormAs(visitor(served), scenario.event)
    await second.begin(email)
    const twin = { '@participant.firstName': 'Jo', '@participant.lastName': 'Twin', '@participant.email': email }
    await second.fill('contact', twin, { files: { '@custom.visa': picture('twin.png') } })
    await expectNothingLeftOver()
  })
})

describe('uploads of a completed registration', () => {
  it('replaces earlier uploads of a completed registration within the limit of 50 MB', async () => {
    const { participant } = await scenario.register({ dinner: 1 })
    const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
    const path = `${eventHomePath(scenario.event)}/registration/edit/contact`
    const send = async (files: Record<string, File>) =>
      who.post(path, { ...hiddenFieldsIn((await who.get(path)).html), do: 'save' }, { csrf: null, files })
    expect((await send({ '@custom.passport': picture('a.png') })).location).toContain('done=saved')
    await growFile(participant.id, 'a.png', LIMIT)
    const refused = await send({ '@custom.visa': picture('b.png') })
    expect([refused.status, refused.text.includes('at most 50 MB')]).toEqual([400, true])
    expect((await send({ '@custom.passport': picture('c.png') })).location).toContain('done=saved')
    expect((await filesOf(participant.id)).map(({ name }) => name)).toEqual(['c.png'])
    await expectNothingLeftOver()
  })
})
