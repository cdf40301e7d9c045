import type { VerifiedDoorDevice } from '../../../domains/attendance/door-devices.ts'
import { listScanReasonTexts } from '../../../domains/attendance/reasons.ts'
import { type Translator, chooseTranslator } from '../../../kernel/language/translator.ts'
import { ASSET_PATHS } from '../assets.ts'
import { renderScanVerdict, OVERRIDABLE_REFUSAL_REASONS, type DoorScanAnswer, ScanVerdictTemplates } from './verdict.tsx'

interface DoorPageProps {
  device: VerifiedDoorDevice
  words: Translator
  gates: readonly { code: string; name: string }[]
  csrf: string
  /** The public key with which the page verifies badges offline; null if another provider issues the badges. */
  publicKey: string | null
  answer?: DoorScanAnswer | undefined
  badge?: string | undefined
  direction?: 'in' | 'out' | undefined
  gateCode?: string | undefined
}

const OVERRIDE_REASONS = ['door.override.paid', 'door.override.approved', 'door.override.proof', 'door.override.known'] as const

/**
 * The reason for letting a refused person in is stored in English for every page language, so that reports count equal reasons together.
 */
const ENGLISH = chooseTranslator('en')

/** The texts that the page's script shows, with placeholders that the script fills in. */
function listScriptTexts(words: Translator): Record<string, string> {
  const { say } = words
  const [count, ending, reason, capacity] = ['{count}', '{ending}', '{reason}', '{capacity}']
  return {
    ...listScanReasonTexts(words),
    online: say('door.online'),
    offline: say('door.offline'),
    sending: say('door.sending'),
    last: say('door.last'),
    waiting: say('door.waiting', { count }),
    inside: say('door.inside'),
    insideOf: say('door.insideOf', { capacity }),
    letIn: say('door.letIn'),
    checkedOut: say('door.checkedOut'),
    notChecked: say('door.notChecked'),
    otherEvent: say('door.otherEvent'),
    refusedWaiting: say('door.refusedWaiting'),
    letInWaiting: say('door.letInWaiting'),
    genuine: say('door.genuine', { ending }),
    unverified: say('door.unverified', { ending }),
    badge: say('door.badge', { ending }),
    notAccepted: say('door.notAccepted'),
    notSent: say('door.notSent'),
    wasLetIn: say('door.wasLetIn', { reason }),
    sent: say('door.sent', { count }),
    backOnline: say('door.backOnline'),
    toCheck: say('door.toCheck', { count }),
    accepted: say('door.accepted'),
    overridden: say('door.overridden'),
    cameraBlocked: say('door.cameraBlocked'),
  }
}

const Direction = ({ chosen, words: { say } }: { chosen: 'in' | 'out'; words: Translator }) => (
  <fieldset class="segments" aria-label={say('door.direction')}>
    {(['in', 'out'] as const).map((value) => (
      <label>
        <input type="radio" name="direction" value={value} checked={value === chosen} form="door-form" />
        <span>{say(value === 'in' ? 'door.in' : 'door.out')}</span>
      </label>
    ))}
  </fieldset>
)

/** The form that lets a refused person in, with a reason. Hidden until a scan is refused for a reason that may be overridden. */
const Override = ({ csrf, answer, badge, direction, gateCode, words: { say } }: DoorPageProps) => (
  <details
    class="override"
    data-override
    hidden={!answer || answer.result !== 'refused' || !OVERRIDABLE_REFUSAL_REASONS.includes(answer.reason ?? '')}
  >
    <summary class="button quiet">{say('door.letInAnyway')}</summary>
    <form method="post" action="/door">
      <input type="hidden" name="_csrf" value={csrf} />
      <input type="hidden" name="badge" value={badge ?? ''} />
      <input type="hidden" name="direction" value={direction ?? 'in'} />
      <input type="hidden" name="gateCode" value={gateCode ?? ''} />
      <fieldset class="stack-s">
        <legend class="strong">{say('door.overrideReason')}</legend>
        <div class="reason-list">
          {OVERRIDE_REASONS.map((reason) => (
            <label>
              <input type="radio" name="reason" value={ENGLISH.say(reason)} required />
              <span>{say(reason)}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <button class="button wide">{say('door.letInAnyway')}</button>
    </form>
  </details>
)

const Camera = ({ words: { say } }: { words: Translator }) => (
  <div class="camera" data-camera hidden>
    <video muted playsinline aria-label={say('door.cameraView')} hidden />
    <button class="button" type="button" data-start>
      {say('door.camera')}
    </button>
  </div>
)

/** The page of the door scanner. Without scripts, the form checks one badge at a time. */
export const DoorPage = (props: DoorPageProps) => {
  const { device, words, gates, csrf, publicKey, answer, direction = 'in' } = props
  const { say } = words
  const gateCode = props.gateCode ?? device.gateCode ?? ''
  return (
    <div
      class="door"
      data-door={device.id}
      data-event={device.event.code}
      data-key={publicKey ?? undefined}
      data-words={JSON.stringify(listScriptTexts(words))}
      data-overridable={OVERRIDABLE_REFUSAL_REASONS.join(' ')}
    >
      <header class="door-top">
        <p class="at">
          <strong dir="auto">{device.event.name}</strong>
          <small dir="auto">{device.name}</small>
        </p>
        <span class="online" data-online role="status">
          {say('door.online')}
        </span>
      </header>
      <main id="main" class="door-main">
        <div class="door-screen" data-screen role="status">
          {answer ? (
            renderScanVerdict(answer, direction, words)
          ) : (
            <div class="door-ready">
              <h1>{say('door.ready')}</h1>
              <p>{say('door.readyText')}</p>
            </div>
          )}
        </div>
        <Camera words={words} />
        <div class="door-counts">
          <p data-inside>{answer ? <CountInside answer={answer} words={words} /> : null}</p>
          <Direction chosen={direction} words={words} />
        </div>
      </main>
      <aside class="door-side" aria-labelledby="last-h">
        <h2 id="last-h" data-list-title>
          {say('door.last')}
        </h2>
        <p class="small muted" data-waiting hidden>
          {say('door.stored')}
        </p>
        <ol class="scans" data-scans />
      </aside>
      <div class="door-bottom" role="region" aria-label={say('door.next')}>
        <form id="door-form" class="with-button" method="post" action="/door" data-form>
          <input type="hidden" name="_csrf" value={csrf} />
          {gates.length > 0 ? (
            <label class="door-gate">
              <span class="hidden">{say('door.entrance')}</span>
              <select name="gateCode">
                <option value="">{say('door.eventEntrance')}</option>
                {gates.map(({ code, name }) => (
                  <option value={code} selected={code === gateCode}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          <div>
            <label class="hidden" for="code">
              {say('door.code')}
            </label>
            <input
              id="code"
              type="text"
              name="badge"
              autocomplete="off"
              autocapitalize="none"
              enterkeyhint="go"
              placeholder={say('door.codeShort')}
            />
          </div>
          <button class="button primary">{say('door.check')}</button>
        </form>
        <Override {...props} />
      </div>
      <ScanVerdictTemplates words={words} />
      <script type="module" src={ASSET_PATHS.door} />
    </div>
  )
}

const CountInside = ({ answer: { inside, capacity }, words: { say } }: { answer: DoorScanAnswer; words: Translator }) => (
  <>
    <b>{inside}</b> <span class="muted">{capacity === undefined ? say('door.inside') : say('door.insideOf', { capacity })}</span>
  </>
)
