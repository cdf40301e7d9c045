import {
  beginSecondFactor,
  checkOwnCode,
  checkOwnPassword,
  confirmSecondFactor,
  getOwnAccount,
  type OwnAccount,
  renewRecoveryCodes,
  turnOffSecondFactor,
} from '../../../domains/sign-in/own-account.ts'
import { findPendingTotp, otpauthUrl } from '../../../domains/sign-in/totp.ts'
import { AppError } from '../../../kernel/errors.ts'
import { Secret } from '../../../kernel/secrets.ts'
import { clientAddress } from '../../http/client-address.ts'
import { Actions, Button, ErrorSummary, errorOf, type Errors, Form, Input, LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Copy, Facts, Notice } from '../components/parts.tsx'
import { QrCode } from '../components/qr.tsx'
import { handOver, takeOver } from '../shown-once.ts'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { changeOwn, consolePages, formOf, frame } from './frame.tsx'

const PATH = '/console/account/second-factor'

interface FormProps {
  csrf: string
  errors?: Errors | undefined
}

const CodeField = ({ errors, label, help }: { errors?: Errors | undefined; label: string; help: string }) => (
  <Input
    name="code"
    label={label}
    help={help}
    autocomplete="one-time-code"
    inputmode="text"
    maxlength={20}
    error={errorOf(errors, 'code')}
  />
)

const Off = ({ csrf, errors }: FormProps) => (
  <Card>
    <Form action={`${PATH}/begin`} csrf={csrf} class="stack prose">
      <ErrorSummary errors={errors} />
      <p>
        With a second factor, signing in takes your password and a code from an app on your phone. Whoever learns your password still stays
        outside.
      </p>
      <p class="muted">
        You need an authenticator app: 1Password, Aegis, Google Authenticator, Microsoft Authenticator or any other for TOTP.
      </p>
      <Input name="current" type="password" label="Current password" autocomplete="current-password" error={errorOf(errors, 'current')} />
      <Actions>
        <Button tone="primary">Set it up</Button>
      </Actions>
    </Form>
  </Card>
)

const Pending = ({ csrf, errors, secret, email }: FormProps & { secret: string; email: string }) => (
  <Card>
    <div class="stack">
      <ErrorSummary errors={errors} />
      <h2>1. Scan this with your authenticator app</h2>
      <QrCode text={otpauthUrl(secret, email)} label="QR code with the set-up secret; the same secret is written below" />
      <p>Or type this secret into it:</p>
      <Copy id="secret" text={secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} />
      <h2>2. Enter the code that it shows</h2>
      <Form action={`${PATH}/confirm`} csrf={csrf} class="stack narrow">
        <CodeField errors={errors} label="Code" help="Six digits. They change every 30 seconds." />
        <Actions>
          <Button tone="primary">Turn on</Button>
          <LinkButton href="/console/account" tone="quiet">
            Not now
          </LinkButton>
        </Actions>
      </Form>
    </div>
  </Card>
)

const On = ({ csrf, errors, left }: FormProps & { left: number }) => (
  <Card>
    <div class="stack">
      <ErrorSummary errors={errors} />
      <Facts
        rows={[
          ['State', <Badge tone="success">on</Badge>],
          ['Recovery codes left', `${left} of 10`],
        ]}
      />
      {left < 3 ? <Notice tone="warning">Few recovery codes are left. Make new ones before you need them.</Notice> : null}
      <Form action={`${PATH}/change`} csrf={csrf} class="stack narrow">
        <CodeField errors={errors} label="Code, to change something here" help="From your authenticator app, or a recovery code." />
        <Actions>
          <Button name="what" value="codes">
            Make new recovery codes
          </Button>
          <Button tone="danger" name="what" value="off">
            Turn the second factor off
          </Button>
        </Actions>
      </Form>
    </div>
  </Card>
)

const Codes = ({ codes }: { codes: string }) => (
  <Card>
    <div class="stack">
      <Notice tone="success">The second factor is on. Keep these recovery codes where your phone is not: they are shown only now.</Notice>
      <p>Each of them signs you in once, in place of a code. Earlier ones no longer work.</p>
      <Copy id="codes" text={codes} block />
      <Actions>
        <LinkButton href="/console/account" tone="primary">
          I have kept them
        </LinkButton>
      </Actions>
    </div>
  </Card>
)

/** `/console/account/second-factor`: set-up, recovery codes, turning it off. */
export function secondFactorPages(web: Web) {
  const { database, keys, baseUrl } = web.road
  const page = async (c: WebContext, errors?: Errors) => {
    const account = await getOwnAccount(database.write, c.get('session').userId)
    const codes = takeOver(web, c, PATH)
    return frame(
      web,
      c,
      { title: 'Second factor', current: '/console/account', status: errors ? 400 : 200 },
      <>
        <Heading title="Second factor" crumbs={[{ href: '/console/account', label: 'Account security' }]} />
        {codes ? <Codes codes={codes} /> : await stateOf(c, account, errors)}
      </>,
    )
  }
  const stateOf = async (c: WebContext, account: OwnAccount, errors?: Errors) => {
    const form = { csrf: csrfFor(web, c), errors }
    if (account.secondFactor === 'on') return <On {...form} left={account.recoveryCodesLeft} />
    const secret = await findPendingTotp(database.write, keys, c.get('session').userId)
    return secret ? <Pending {...form} secret={secret} email={account.email} /> : <Off {...form} />
  }
  const showCodes = (c: WebContext, codes: readonly string[]) => {
    handOver(web, c, PATH, new Secret(codes.join('\n')))
    return c.redirect(PATH, 303)
  }
  /** The page again, with what was wrong. */
  const orAgain = async (c: WebContext, run: () => Promise<Response>) => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof AppError && error.details.fields) return page(c, error.details.fields)
      throw error
    }
  }

  return consolePages(web)
    .get(PATH, (c) => page(c))
    .post(`${PATH}/begin`, async (c) => {
      const { current = '' } = await formOf(web, c)
      const session = c.get('session')
      return orAgain(c, async () => {
        const address = clientAddress(c.env.incoming, web.trustedProxies)
        await checkOwnPassword({ database, baseUrl, passwords: web.passwords }, session, { password: current, address, path: 'current' })
        await changeOwn(web, session, 'begin_second_factor', (ctx) => beginSecondFactor(ctx, session))
        return c.redirect(PATH, 303)
      })
    })
    .post(`${PATH}/confirm`, async (c) => {
      const form = await formOf(web, c)
      const session = c.get('session')
      return orAgain(c, async () => {
        const codes = await changeOwn(web, session, 'confirm_second_factor', (ctx) => confirmSecondFactor(ctx, session, form['code'] ?? ''))
        return showCodes(c, codes)
      })
    })
    .post(`${PATH}/change`, async (c) => {
      const form = await formOf(web, c)
      const session = c.get('session')
      return orAgain(c, async () => {
        const address = clientAddress(c.env.incoming, web.trustedProxies)
        await checkOwnCode({ database, keys, baseUrl }, session, { code: form['code'] ?? '', address })
        if (form['what'] === 'off') {
          await changeOwn(web, session, 'turn_off_second_factor', (ctx) => turnOffSecondFactor(ctx, session))
          return c.redirect('/console/account?done=factor-off', 303)
        }
        const codes = await changeOwn(web, session, 'renew_recovery_codes', (ctx) => renewRecoveryCodes(ctx, session))
        return showCodes(c, codes)
      })
    })
}
