import {
  startSecondFactorSetup,
  consumeOwnSecondFactorCode,
  reauthenticateOwnUser,
  confirmSecondFactorSetup,
  getOwnAccount,
  type OwnAccount,
  renewRecoveryCodes,
  turnOffSecondFactor,
} from '../../../domains/sign-in/own-account.ts'
import { findUnconfirmedTotpSecret, buildOtpauthUrl } from '../../../domains/sign-in/totp.ts'
import { AppError } from '../../../kernel/errors.ts'
import { Secret } from '../../../kernel/secrets.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { FormCard, SubmitForm } from '../components/form-page.tsx'
import { FormActions, Button, findFieldError, type FieldErrors, Input, LinkButton } from '../components/forms.tsx'
import { renderContentPage } from '../components/page.tsx'
import { StatusDot, Card, CopyableText, DescriptionList, Notice } from '../components/parts.tsx'
import { QrCode } from '../components/qr.tsx'
import { passSecretToPage, takeSecretForPage } from '../one-time-secrets.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { runOwnAccountChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'

const PATH = '/console/account/second-factor'

interface FormProps {
  csrf: string
  errors?: FieldErrors | undefined
}

const CodeField = ({ errors, label, help }: { errors?: FieldErrors | undefined; label: string; help: string }) => (
  <Input
    name="code"
    label={label}
    help={help}
    autocomplete="one-time-code"
    inputmode="text"
    maxlength={20}
    error={findFieldError(errors, 'code')}
  />
)

const Off = ({ csrf, errors }: FormProps) => (
  <FormCard action={`${PATH}/begin`} csrf={csrf} class="stack prose" submit="Set up">
    <p>With a second factor, you sign in with your password and a code from an app on your phone. A stolen password is then not enough.</p>
    <p class="muted">
      You need an authenticator app, such as 1Password, Aegis, Google Authenticator, Microsoft Authenticator or another TOTP app.
    </p>
    <Input
      name="current"
      type="password"
      label="Current password"
      autocomplete="current-password"
      error={findFieldError(errors, 'current')}
    />
  </FormCard>
)

const Pending = ({ csrf, errors, secret, email }: FormProps & { secret: string; email: string }) => (
  <Card>
    <div class="stack">
      <h2>1. Scan this code with your authenticator app</h2>
      <QrCode text={buildOtpauthUrl(secret, email)} label="QR code with the setup key; the same key is shown below" />
      <p>Or enter this key:</p>
      <CopyableText id="secret" text={secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} />
      <h2>2. Enter the code from the app</h2>
      <SubmitForm
        action={`${PATH}/confirm`}
        csrf={csrf}
        class="stack narrow"
        submit="Turn on"
        more={
          <LinkButton href="/console/account" tone="quiet">
            Not now
          </LinkButton>
        }
      >
        <CodeField errors={errors} label="Code" help="Six digits that change every 30 seconds" />
      </SubmitForm>
    </div>
  </Card>
)

const On = ({ csrf, errors, left }: FormProps & { left: number }) => (
  <Card>
    <div class="stack">
      <DescriptionList
        rows={[
          ['Status', <StatusDot tone="success">on</StatusDot>],
          ['Recovery codes left', `${left} of 10`],
        ]}
      />
      {left < 3 ? <Notice tone="warning">You have few recovery codes left. Create new ones.</Notice> : null}
      <SubmitForm
        action={`${PATH}/change`}
        csrf={csrf}
        class="stack narrow"
        submit="Create new recovery codes"
        tone="plain"
        submitAs={{ name: 'what', value: 'codes' }}
        more={
          <Button tone="danger" name="what" value="off">
            Turn off second factor
          </Button>
        }
      >
        <CodeField errors={errors} label="Code" help="Enter a code from your authenticator app, or a recovery code, to make changes." />
      </SubmitForm>
    </div>
  </Card>
)

const Codes = ({ codes }: { codes: string }) => (
  <Card>
    <div class="stack">
      <Notice tone="success">
        The second factor is on. Save these recovery codes in a safe place, not on your phone. They are shown only once.
      </Notice>
      <p>You can use each code once to sign in without your authenticator app. Earlier recovery codes no longer work.</p>
      <CopyableText id="codes" text={codes} block />
      <FormActions>
        <LinkButton href="/console/account" tone="primary">
          I have saved the codes
        </LinkButton>
      </FormActions>
    </div>
  </Card>
)

/** `/console/account/second-factor`: sets up the second factor, shows recovery codes, and turns it off. */
export function secondFactorPages(web: WebServices) {
  const { database, keys, baseUrl } = web.services
  const page = async (c: WebContext, errors?: FieldErrors) => {
    const account = await getOwnAccount(database.write, c.get('session').userId)
    const codes = takeSecretForPage(web, c, PATH)
    const head = {
      title: 'Second factor',
      crumbs: [{ href: '/console/account', label: 'Account security' }],
      formErrors: errors && { errors },
    }
    const content = codes ? <Codes codes={codes} /> : await stateOf(c, account, errors)
    return sendConsolePage(web, c, { current: '/console/account' }, renderContentPage(head, content))
  }
  const stateOf = async (c: WebContext, account: OwnAccount, errors?: FieldErrors) => {
    const form = { csrf: getCsrfToken(web, c), errors }
    if (account.secondFactor === 'on') return <On {...form} left={account.recoveryCodesLeft} />
    const secret = await findUnconfirmedTotpSecret(database.write, keys, c.get('session').userId)
    return secret ? <Pending {...form} secret={secret} email={account.email} /> : <Off {...form} />
  }
  const showCodes = (c: WebContext, codes: readonly string[]) => {
    passSecretToPage(web, c, PATH, new Secret(codes.join('\n')))
    return c.redirect(PATH, 303)
  }
  /** Runs a change of the second factor. If its fields have errors, shows the page again with them. */
  const orShowErrors = async (c: WebContext, run: () => Promise<Response>) => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof AppError && error.details.fields) return page(c, error.details.fields)
      throw error
    }
  }

  return createConsoleRouter(web)
    .get(PATH, (c) => page(c))
    .post(`${PATH}/begin`, async (c) => {
      const { current = '' } = await requireConsoleForm(web, c)
      const session = c.get('session')
      return orShowErrors(c, async () => {
        const address = getClientIpBlock(c.env.incoming, web.trustedProxies)
        await reauthenticateOwnUser({ database, baseUrl, passwords: web.passwords }, session, {
          password: current,
          address,
          path: 'current',
        })
        await runOwnAccountChange(web, session, 'begin_second_factor', (ctx) => startSecondFactorSetup(ctx, session))
        return c.redirect(PATH, 303)
      })
    })
    .post(`${PATH}/confirm`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const session = c.get('session')
      return orShowErrors(c, async () => {
        const codes = await runOwnAccountChange(web, session, 'confirm_second_factor', (ctx) =>
          confirmSecondFactorSetup(ctx, session, form['code'] ?? ''),
        )
        return showCodes(c, codes)
      })
    })
    .post(`${PATH}/change`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const session = c.get('session')
      return orShowErrors(c, async () => {
        const address = getClientIpBlock(c.env.incoming, web.trustedProxies)
        await consumeOwnSecondFactorCode({ database, keys, baseUrl }, session, { code: form['code'] ?? '', address })
        if (form['what'] === 'off') {
          await runOwnAccountChange(web, session, 'turn_off_second_factor', (ctx) => turnOffSecondFactor(ctx, session))
          return c.redirect('/console/account?done=factor-off', 303)
        }
        const codes = await runOwnAccountChange(web, session, 'renew_recovery_codes', (ctx) => renewRecoveryCodes(ctx, session))
        return showCodes(c, codes)
      })
    })
}
