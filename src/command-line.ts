import { parseArgs } from 'node:util'
import { type CommandResult, type Command, UsageError } from './commands/command.ts'
import { AppError } from './kernel/errors.ts'
import { readEnvironment, SettingError } from './platform/environment.ts'
import { DirectoryInUseError } from './platform/directory-lock.ts'

/** Loaded on demand: each command needs only a part of the program. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  user: async () => (await import('./commands/user.ts')).userCommand,
  account: async () => (await import('./commands/account.ts')).accountCommand,
  feedback: async () => (await import('./commands/feedback.ts')).feedbackCommand,
}

async function helpText(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()))
  return [
    'lanyard <command> [--json]',
    '',
    '  start',
    '      run the service (same as npm start)',
    ...commands.flatMap(({ usage, summary }) => [`  ${usage}`, `      ${summary}`]),
    '',
    'Exit code: 0 success, 1 failure, 2 invalid usage.',
  ].join('\n')
}

/** `lanyard <command>`: runs the command, prints its result and sets the exit code. */
export async function runCommand([name, ...rest]: string[]): Promise<void> {
  if (name === 'start') return (await import('./serve.ts')).serve()
  const json = rest.includes('--json')
  const load = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) {
    process.stdout.write(`${await helpText()}\n`)
    process.exitCode = name === undefined || name === 'help' || name === '--help' ? 0 : 2
    return
  }
  const answer = await runWithArguments(await load(), rest)
  if ('exit' in answer) {
    if (json) process.stdout.write(`${JSON.stringify({ error: answer.text })}\n`)
    else process.stderr.write(`${answer.text}\n`)
    process.exitCode = answer.exit
    return
  }
  process.stdout.write(`${json ? JSON.stringify(answer.data) : answer.text}\n`)
  process.exitCode = answer.failed ? 1 : 0
}

async function runWithArguments(command: Command, args: string[]): Promise<CommandResult | { text: string; exit: number }> {
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
