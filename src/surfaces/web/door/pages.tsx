import { Hono } from 'hono'
import { z } from 'zod'
import { type VerifiedDoorDevice, createDoorDevice, verifyDoorDevice } from '../../../domains/attendance/door-devices.ts'
import { type DoorRules, readDoorRules } from '../../../domains/attendance/door-rules.ts'
import { importScans } from '../../../domains/attendance/import-scans.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { getBadgePublicKey } from '../../../kernel/badge-signature.ts'
import { AppError } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { readJsonBody } from '../../http/read-json-body.ts'
import { ASSET_PATHS, DOOR_SERVICE_WORKER_SOURCE } from '../assets.ts'
import { FormActions, Button, Form, LinkButton } from '../components/forms.tsx'
import { CenteredCardLayout, renderHtmlDocument } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import { writeCookie } from '../cookies.ts'
import { getVisitorTranslator } from '../language/visitor.ts'
import { getCsrfToken, readSameOriginForm, readSignInSession, sendPage, type WebContext, type WebEnv, type WebServices } from '../web.ts'
import { runDoorDeviceChange, createDoorContext, findDoorDevice, recordDoorScans } from './device.ts'
import { listScannableEvents, openScannableEvent } from './events.ts'
import { DoorPage } from './page.tsx'

const PATH = '/door'
const DAY_SECONDS = 24 * 3600
const MAX_BODY_BYTES = 512 * 1024
const MAX_SENT_SCANS = 200

const SentScan = z.strictObject({
  badge: z.string().min(1).max(600),
  direction: z.enum(['in', 'out']),
  gateCode: z.string().max(64).optional(),
  nonce: z.string().min(1).max(80),
  at: z.iso.datetime(),
  override: z.strictObject({ reason: z.string().trim().min(1).max(300) }).optional(),
  decidedOffline: z.enum(['accepted', 'refused']).optional(),
})
const SentScans = z.strictObject({
  scans: z.array(SentScan).min(1).max(MAX_SENT_SCANS),
  /** When the device sent the request, by its own clock. */
  sentAt: z.iso.datetime(),
})
/** Clock differences between device and server up to this many milliseconds are not corrected. */
const TRUSTED_SKEW_MS = 5000

/** `/door`: the scanner of door staff. It works after console sign-in, or with the link of a device that the console shows. */
export function doorPages(web: WebServices) {
  return new Hono<WebEnv>()
    .get(PATH, (c) => showDoor(web, c))
    .post(PATH, (c) => checkBadge(web, c))
    .post(`${PATH}/start`, (c) => startAtEvent(web, c))
    .get(`${PATH}/d/:token`, (c) => openLink(web, c))
    .get(`${PATH}/worker.js`, (c) => {
      c.header('cache-control', 'no-cache')
      // Without the header service-worker-allowed, the service worker could only control pages below its own folder.
      c.header('service-worker-allowed', PATH)
      c.header('content-type', 'text/javascript; charset=utf-8')
      return c.body(DOOR_SERVICE_WORKER_SOURCE)
    })
    .post(`${PATH}/scans`, (c) => answerJson(web, c, decideScans))
    .post(`${PATH}/sync`, (c) => answerJson(web, c, syncScans))
}

async function readRules(web: WebServices, device: VerifiedDoorDevice): Promise<DoorRules> {
  return readDoorRules(createDoorContext(web, device, web.services.database.read))
}

async function showDoor(web: WebServices, c: WebContext) {
  const device = await findDoorDevice(web, c)
  if (!device) return showStart(web, c)
  return sendScanner(web, c, device, {})
}

/** Checks one badge and responds with a page, for browsers without scripts. */
async function checkBadge(web: WebServices, c: WebContext) {
  const [form, device] = [await readSameOriginForm(web, c), await findDoorDevice(web, c)]
  if (!form || !device) return c.redirect(PATH, 303)
  const direction = form['direction'] === 'out' ? 'out' : 'in'
  const badge = form['badge']?.trim() ?? ''
  if (badge === '') return c.redirect(PATH, 303)
  const gateCode = form['gateCode'] || undefined
  const reason = form['reason']?.trim()
  const { results } = await recordDoorScans(web, device, [
    {
      badge,
      direction,
      gateCode,
      method: 'scan',
      deviceName: device.name,
      nonce: newId(),
      ...(reason ? { override: { reason: reason.slice(0, 300) } } : {}),
    },
  ])
  return sendScanner(web, c, device, { answer: results[0]!, badge, direction, gateCode })
}

async function sendScanner(
  web: WebServices,
  c: WebContext,
  device: VerifiedDoorDevice,
  state: Omit<Parameters<typeof DoorPage>[0], 'device' | 'words' | 'gates' | 'csrf' | 'publicKey'>,
) {
  const { config, facts } = await readRules(web, device)
  const words = getVisitorTranslator(web, c, [facts.locale, ...facts.locales])
  const gates = config.onsite.gates.map(({ code, name }) => ({ code, name }))
  const publicKey = config.badge.provider === 'own' ? getBadgePublicKey(web.services.keys, device.event.id) : null
  const page = <DoorPage {...state} device={device} words={words} gates={gates} csrf={getCsrfToken(web, c)} publicKey={publicKey} />
  return sendPage(c, renderHtmlDocument(words.say('door.title'), page, { words, styles: ASSET_PATHS.doorStyles }), 200, {
    webAssembly: true,
  })
}

/** Shows the start page of the scanner: organizers choose the event; door staff without a login need a link from the organizer. */
async function showStart(web: WebServices, c: WebContext) {
  const words = getVisitorTranslator(web, c)
  const { say } = words
  const session = await readSignInSession(web, c)
  const events = session && !session.totpPending ? await listScannableEvents(web, session) : []
  return sendPage(
    c,
    renderHtmlDocument(
      say('door.title'),
      <CenteredCardLayout>
        <Card>
          <h1>{say('door.title')}</h1>
          {events.length === 0 ? (
            <>
              <p class="muted">{say('door.startText')}</p>
              <FormActions>
                <LinkButton href="/console/sign-in?next=/door" tone="primary">
                  {say('door.signIn')}
                </LinkButton>
              </FormActions>
            </>
          ) : (
            <Form action={`${PATH}/start`} csrf={getCsrfToken(web, c)} class="stack">
              <label class="field">
                <span>{say('door.event')}</span>
                <select name="event">
                  {events.map(({ key, name }) => (
                    <option value={key}>{name}</option>
                  ))}
                </select>
              </label>
              <Button tone="primary" wide>
                {say('door.start')}
              </Button>
            </Form>
          )}
        </Card>
      </CenteredCardLayout>,
      { words },
    ),
  )
}

async function startAtEvent(web: WebServices, c: WebContext) {
  const [form, session] = [await readSameOriginForm(web, c), await readSignInSession(web, c)]
  const opened = form && session && !session.totpPending ? await openScannableEvent(web, session, form['event'] ?? '') : null
  if (!opened) return c.redirect(PATH, 303)
  const name = `${session!.actor.name.slice(0, 60)} ${newId().slice(-6)}`
  const token = await opened.change('create_door_device', (ctx) => createDoorDevice(ctx, { name }))
  writeCookie(web, c, 'door', token.reveal(), { maxAge: 7 * DAY_SECONDS })
  return c.redirect(PATH, 303)
}

async function openLink(web: WebServices, c: WebContext) {
  const token = c.req.param('token') ?? ''
  const device = await verifyDoorDevice(web.services.database.pool, token)
  if (device) writeCookie(web, c, 'door', token, { maxAge: 30 * DAY_SECONDS })
  c.header('referrer-policy', 'no-referrer')
  return c.redirect(PATH, 303)
}

type Sent = z.output<typeof SentScans>

/**
 * Answers a request of the page's script. Only the page itself can send one: before sending JSON to another site, browsers ask for its
 * permission.
 */
async function answerJson(
  web: WebServices,
  c: WebContext,
  run: (web: WebServices, device: VerifiedDoorDevice, sent: Sent) => Promise<object>,
): Promise<Response> {
  const origin = c.req.header('origin')
  const isOwn = origin === undefined || origin === new URL(web.services.baseUrl).origin
  if (!isOwn || !/^application\/json\b/.test(c.req.header('content-type') ?? '')) return c.json({ error: 'forbidden' }, 403)
  const device = await findDoorDevice(web, c)
  if (!device) return c.json({ error: 'locked_out' }, 401)
  const sent = await readJsonBody(c.env.incoming, SentScans, MAX_BODY_BYTES)
  if ('problem' in sent) return c.json({ error: 'invalid' }, 400)
  try {
    return c.json(await run(web, device, sent.value))
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal') return c.json({ error: error.code, message: error.message }, 400)
    throw error
  }
}

/** Decides whether the people whose badges were scanned may enter. Uses the server's time, because a phone's clock may be wrong. */
const decideScans = (web: WebServices, device: VerifiedDoorDevice, { scans }: Sent) =>
  recordDoorScans(
    web,
    device,
    scans.map(({ decidedOffline: _offline, at: _at, ...scan }) => ({ ...scan, method: 'scan' as const, deviceName: device.name })),
  )

/** Stores the scans that a device made offline. Each scan is identified by its nonce, so sending it again changes nothing. */
const syncScans = (web: WebServices, device: VerifiedDoorDevice, { scans, sentAt }: Sent) =>
  runDoorDeviceChange(web, device, 'door_sync', async (ctx) => {
    const rules = await readDoorRules(ctx)
    const skew = Date.parse(sentAt) - rules.facts.now.getTime()
    const correct = (at: string) => (Math.abs(skew) > TRUSTED_SKEW_MS ? new Date(Date.parse(at) - skew).toISOString() : at)
    const rows = scans.map(({ override: _override, at, ...scan }, index) => ({
      ...scan,
      at: correct(at),
      row: index + 1,
      deviceName: device.name,
    }))
    const { imported, duplicates, unmatched, invalid, conflicts } = await importScans(ctx, rules, rows, {
      timezone: ctx.event.timezone,
      importId: newId(),
    })
    if (imported > 0) recordChange(ctx, { kind: 'event', id: ctx.event.id, after: { importedScans: imported } })
    return { imported, duplicates, unmatched, invalid, conflicts }
  })
