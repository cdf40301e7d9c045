import { existsSync } from 'node:fs'
import type { DemoCredentials } from './demo.ts'
import type { Secret } from './kernel/secrets.ts'
import type { Environment } from './platform/environment.ts'

/** Formats the line that is printed before the startup, because the first start takes a while. */
export const formatStartupMessage = ({ databaseUrl, dataDir }: Environment): string =>
  databaseUrl || existsSync(dataDir)
    ? 'Starting Lanyard …\n'
    : 'Starting Lanyard for the first time: creating the database, which takes a few seconds …\n'

interface WelcomeFacts {
  environment: Environment
  demo: DemoCredentials | null
  setupKey: Secret | null
  /** Email address of the demo's user, if an earlier start created the demo. */
  account: string | null
  first: boolean
}

/** Formats the output after startup. Credentials are shown once, when they are created. */
export function formatWelcome({ environment, demo, setupKey, account, first }: WelcomeFacts): string {
  const { baseUrl } = environment
  const lines = ['', `Lanyard is running at ${baseUrl}`, '']
  if (demo) {
    const token = demo.organizerToken.reveal()
    const config = { mcpServers: { lanyard: { url: `${baseUrl}/api/mcp/organizer` } } }
    lines.push(
      `Demo data was added: tenant demo, client acme, events ${demo.events.join(', ')}; 60 participants at the first.`,
      'These credentials are shown once. They are valid for the demo only.',
      '',
      `  Sign in as       ${demo.organizer} (administrator of acme)`,
      `  Password         ${demo.password.reveal()}`,
      `  API token        ${demo.apiToken.reveal()}`,
      `  Organizer token  ${token}`,
      `  Activation code  ${demo.activationCode.reveal()} (of the exhibitor Borealis Systems at summit-2027)`,
      `  Event page       ${baseUrl}/tenant/demo/client/acme/event/summit-2027`,
      '',
      'Connect an assistant: paste this into the MCP settings of your client. It opens a page of this site, where you sign in and agree.',
      '',
      ...JSON.stringify(config, null, 2).split('\n'),
      '',
      'Or try it here, with the organizer token, which works for 30 days:',
      '',
      `  curl -s ${baseUrl}/api/mcp/organizer \\`,
      `    -H 'Authorization: Bearer ${token}' \\`,
      `    -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\`,
      `    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_my_events","arguments":{}}}'`,
      '',
      `What that exhibitor's scanner gets for a badge, also at ${baseUrl}/scan:`,
      '',
      `  curl -s '${baseUrl}/api/public/lead-sdk?tenantCode=demo&clientCode=acme&eventCode=summit-2027&activationCode=${demo.activationCode.reveal()}&badgeId=0'`,
      '',
    )
  }
  if (setupKey) {
    lines.push(
      'The database is empty. Create the first client and its administrator within a day:',
      '',
      `  Open        ${baseUrl}/console/setup`,
      `  Set-up key  ${setupKey.reveal()}`,
      '',
      'Or in a terminal:',
      '',
      '  lanyard user create --tenant <code> --client <code> --email <you@example.org> --name "<Your Name>" --role admin',
      '',
    )
  }
  if (!first) lines.push(...formatSignInHelp(environment, account))
  lines.push(
    `  Console               ${baseUrl}/console`,
    `  Mailbox               ${baseUrl}/console/mailbox`,
    `  Documentation         ${baseUrl}/docs`,
    `  Organizer endpoint    ${baseUrl}/api/mcp/organizer`,
    `  Participant endpoint  ${baseUrl}/api/mcp/participant`,
    `  Discovery             ${baseUrl}/api/.well-known/mcp.json`,
    `  Health                ${baseUrl}/readyz`,
    `  Data                  ${environment.databaseUrl ? 'PostgreSQL (DATABASE_URL)' : environment.dataDir}`,
    '',
    '',
  )
  return lines.join('\n')
}

/** Explains how to sign in after a restart, because passwords are shown only at the first start. */
const formatSignInHelp = ({ databaseUrl }: Environment, account: string | null): string[] => [
  ...(account ? [`Sign in as ${account}, with the password that the first start printed.`] : []),
  `Password lost? ${databaseUrl || process.platform !== 'win32' ? 'Run' : 'Stop this and run'}  npm run lanyard -- user reset --email ${account ?? '<email>'}`,
  '',
]
