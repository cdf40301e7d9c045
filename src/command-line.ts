import { parseArgs } from 'node:util'
import { accountCommand } from './commands/account.ts'
import { backupCommand } from './commands/backup.ts'
import { type Answer, type Command, UsageError } from './commands/command.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor.ts'
import { feedbackCommand } from './commands/feedback.ts'
import { migrateCommand } from './commands/migrate.ts'
import { restoreCommand } from './commands/restore.ts'
import { userCommand } from './commands/user.ts'
import { AppError } from './kernel/errors.ts'
import { readEnvironment, SettingError } from './platform/environment.ts'
import { DirectoryInUseError } from './platform/directory-lock.ts'
import { serve } from './serve.ts'

const COMMANDS: Record<string, Command> = {
  migrate: migrateCommand,
  demo: demoCommand,
  doctor: doctorCommand,
  backup: backupCommand,
  restore: restoreCommand,
  user: userCommand,
  account: accountCommand,
  feedback: feedbackCommand,
}

const HELP = [
  'lanyard <command> [--json]',
  '',
  '  start',
  '      run the service (same as npm start)',
  ...Object.values(COMMANDS).flatMap(({ usage, summary }) => [`  ${usage}`, `      ${summary}`]),
  '',
  'Exit code: 0 done, 1 refused, 2 wrong use.',
].join('\n')

/** `lanyard <command>`: runs it, prints its answer, sets the exit code. */
export async function runCommand([name, ...rest]: string[]): Promise<void> {
  if (name === 'start') return serve()
  const json = rest.includes('--json')
  const command = COMMANDS[name ?? '']
  if (!command) {
    process.stdout.write(`${HELP}\n`)
    process.exitCode = name === undefined || name === 'help' || name === '--help' ? 0 : 2
    return
  }
  const answer = await answerOf(command, rest)
  if ('exit' in answer) {
    if (json) process.stdout.write(`${JSON.stringify({ error: answer.text })}\n`)
    else process.stderr.write(`${answer.text}\n`)
    process.exitCode = answer.exit
    return
  }
  process.stdout.write(`${json ? JSON.stringify(answer.data) : answer.text}\n`)
  process.exitCode = answer.failed ? 1 : 0
}

async function answerOf(command: Command, args: string[]): Promise<Answer | { text: string; exit: number }> {
  try {
    const options = Object.fromEntries(
      [...Object.entries(command.options ?? {}), ['json', 'boolean'] as const].map(([option, type]) => [option, { type }]),
    )
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true })
    return await command.run({
      environment: readEnvironment(process.env, process.stdout.isTTY),
      words: positionals,
      flags: values as Record<string, string | boolean>,
    })
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    if (error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS'))
      return { text: `${message}\n\n  lanyard ${command.usage}`, exit: 2 }
    if (error instanceof AppError || error instanceof SettingError || error instanceof DirectoryInUseError)
      return { text: message, exit: 1 }
    throw error
  }
}
