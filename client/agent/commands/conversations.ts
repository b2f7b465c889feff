/** `lineup conversations`: the agent's conversations. */
import { hasIdShape } from '../../../src/protocol/ids.ts';
import type { AddCommand } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

export const addConversations: AddCommand = (program, line) => {
  const conversations = program
    .command('conversations')
    .summary('list, make, rename and delete conversations')
    .description("Lists the agent's conversations. Commands take one with --conversation.")
    .addHelpText(
      'after',
      '\nExamples:\n  $ lineup conversations\n  $ lineup conversations new "Garden"\n  $ lineup conversations rename cv_… "Balcony"',
    )
    .action(async () => {
      const list = await line.http(await line.setup()).conversations();
      const rows = list.map(({ conversation_id, title, last_message_at, head_seq }) => [
        conversation_id,
        title ?? '',
        last_message_at ?? 'none',
        String(head_seq),
      ]);
      line.terminal.result({ conversations: list }, line.terminal.table(['ID', 'TITLE', 'LAST MESSAGE', 'SEQ'], rows));
    });

  conversations
    .command('new')
    .description('Makes a conversation and prints its id.')
    .argument('[title]')
    .action(async (title: string | undefined) => {
      const made = await line.http(await line.setup()).createConversation(title);
      line.terminal.result(made, made.conversation_id);
    });

  conversations
    .command('rename')
    .description('Gives a conversation another title.')
    .argument('<conversation>', 'its id, cv_…')
    .argument('<title>')
    .action(async (id: string, title: string) => {
      const renamed = await line.http(await line.setup()).renameConversation(checkId(id), title);
      line.terminal.result(renamed, `${line.terminal.paint('green', '✓')} ${id} is now "${title}"`);
    });

  conversations
    .command('delete')
    .description('Deletes a conversation and everything in it, for everyone. It cannot be brought back.')
    .argument('<conversation>', 'its id, cv_…')
    .requiredOption('--yes', 'that you mean it')
    .action(async (id: string) => {
      await line.http(await line.setup()).deleteConversation(checkId(id));
      line.terminal.result({ deleted: id }, `${line.terminal.paint('green', '✓')} ${id} is deleted`);
    });
};

function checkId(id: string): string {
  if (!hasIdShape('cv', id)) throw new CommandError(EXIT.usage, 'the conversation must be an id, cv_… ("lineup conversations" lists them)');
  return id;
}
