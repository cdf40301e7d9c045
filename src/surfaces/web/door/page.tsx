import type { VerifiedDoorDevice } from '../../../domains/attendance/door-devices.ts'
import { ASSETS } from '../assets.ts'
import { renderVerdict, OVERRIDABLE_REASONS, type ScanAnswer, VerdictTemplates } from './verdict.tsx'

interface DoorPageProps {
  device: VerifiedDoorDevice
  gates: readonly { code: string; name: string }[]
  csrf: string
  /** The key with which the page verifies badges offline; null if another provider issues them. */
  publicKey: string | null
  answer?: ScanAnswer | undefined
  badge?: string | undefined
  direction?: 'in' | 'out' | undefined
  gateCode?: string | undefined
}

const OVERRIDE_REASONS = ['Paid at the desk', 'Approved by manager', 'Payment shown', 'Known to the team']

const Direction = ({ chosen }: { chosen: 'in' | 'out' }) => (
  <fieldset class="segments" aria-label="Direction">
    {(['in', 'out'] as const).map((value) => (
      <label>
        <input type="radio" name="direction" value={value} checked={value === chosen} form="door-form" />
        <span>{value === 'in' ? 'In' : 'Out'}</span>
      </label>
    ))}
  </fieldset>
)

/** The form that lets a refused person in, with a reason. Hidden until a scan is refused for a reason that may be overridden. */
const Override = ({ csrf, answer, badge, direction, gateCode }: DoorPageProps) => (
  <details
    class="override"
    data-override
    hidden={!answer || answer.result !== 'refused' || !OVERRIDABLE_REASONS.includes(answer.reason ?? '')}
  >
    <summary class="button quiet">Let in anyway</summary>
    <form method="post" action="/door">
      <input type="hidden" name="_csrf" value={csrf} />
      <input type="hidden" name="badge" value={badge ?? ''} />
      <input type="hidden" name="direction" value={direction ?? 'in'} />
      <input type="hidden" name="gateCode" value={gateCode ?? ''} />
      <fieldset class="stack-s">
        <legend class="strong">Reason (recorded with your name)</legend>
        <div class="reason-list">
          {OVERRIDE_REASONS.map((reason) => (
            <label>
              <input type="radio" name="reason" value={reason} required />
              <span>{reason}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <button class="button wide">Let in anyway</button>
    </form>
  </details>
)

const Camera = () => (
  <div class="camera" data-camera hidden>
    <video muted playsinline aria-label="Camera view" hidden />
    <button class="button" type="button" data-start>
      Scan with the camera
    </button>
  </div>
)

/** The page of the door scanner. Without scripts, the form checks one badge at a time. */
export const DoorPage = (props: DoorPageProps) => {
  const { device, gates, csrf, publicKey, answer, direction = 'in' } = props
  const gateCode = props.gateCode ?? device.gateCode ?? ''
  return (
    <div
      class="door"
      data-door={device.id}
      data-event={device.event.code}
      data-key={publicKey ?? undefined}
      data-overridable={OVERRIDABLE_REASONS.join(' ')}
    >
      <header class="door-top">
        <p class="at">
          <strong dir="auto">{device.event.name}</strong>
          <small dir="auto">{device.name}</small>
        </p>
        <span class="online" data-online role="status">
          Online
        </span>
      </header>
      <main id="main" class="door-main">
        <div class="door-screen" data-screen role="status">
          {answer ? (
            renderVerdict(answer, direction)
          ) : (
            <div class="door-ready">
              <h1>Scan a badge</h1>
              <p>Use the camera or a hand scanner, or type the code.</p>
            </div>
          )}
        </div>
        <Camera />
        <div class="door-counts">
          <p data-inside>{answer ? <CountInside answer={answer} /> : null}</p>
          <Direction chosen={direction} />
        </div>
      </main>
      <aside class="door-side" aria-labelledby="last-h">
        <h2 id="last-h" data-list-title>
          Last scans
        </h2>
        <p class="small muted" data-waiting hidden>
          Stored on this device and sent as soon as there is a connection. Do not clear the browser.
        </p>
        <ol class="scans" data-scans />
      </aside>
      <div class="door-bottom" role="region" aria-label="Next step">
        <form id="door-form" class="with-button" method="post" action="/door" data-form>
          <input type="hidden" name="_csrf" value={csrf} />
          {gates.length > 0 ? (
            <label class="door-gate">
              <span class="hidden">Entrance</span>
              <select name="gateCode">
                <option value="">Event entrance</option>
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
              Badge code or confirmation number
            </label>
            <input id="code" type="text" name="badge" autocomplete="off" autocapitalize="none" enterkeyhint="go" placeholder="Badge code" />
          </div>
          <button class="button primary">Check</button>
        </form>
        <Override {...props} />
      </div>
      <VerdictTemplates />
      <script type="module" src={ASSETS.door} />
    </div>
  )
}

const CountInside = ({ answer: { inside, capacity } }: { answer: ScanAnswer }) => (
  <>
    <b>{inside}</b> <span class="muted">{capacity === undefined ? 'inside' : `of ${capacity} inside`}</span>
  </>
)
