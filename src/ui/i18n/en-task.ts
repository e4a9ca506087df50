/** Texts of the task page and of what brings task files along: loaded with them, since nobody needs them before. */
import type { LintCode } from '../../harness/requests/prompt-lint.ts'
import { translated } from './language.svelte.ts'
import { fill, type Values } from './t.ts'

export const taskTexts = {
  'files.heading': 'Add a task of your own (YAML)',
  'files.paste': 'Task file',
  'files.hint': 'A task file of the harness, unchanged, or a configuration file of a run. It is read on this machine and stays here.',
  'files.add': 'Add task',
  'files.choose': 'Choose files…',
  'files.drop': 'or drop files or a folder here',
  'files.remove': 'Remove {name}',
  'files.editor': 'Write one with a live preview',
  'files.folder': 'Choose a folder…',
  'files.folderOpen': 'Folder {name}: {tasks} tasks, in the list above',
  'files.folderReading': 'Reading {name}: {read} of {total} files',
  'files.folderClose': 'Close the folder {name}',
  'files.config': 'Taken over from {name}: {fields}.',
  'files.configRefused':
    'Not taken: {args}. A file’s arguments neither choose a model nor let its code run; choose the model, its revision and dtype above.',
  'files.configIgnored': 'Without a meaning here: {names}.',

  'page.heading': 'Tasks, word for word',
  'page.lede':
    'Write a task file of the lm-evaluation-harness, or pick one, and see what the model is asked: every space, every token. Nothing leaves this machine.',
  'find.label': 'Find a task',
  'find.placeholder': 'hellaswag, afrimmlu, …',
  'find.results': 'Tasks found',
  'find.count': '{count} found, the first {shown} shown',
  'find.none': 'No task, group or tag has such a name.',
  'folder.open': 'Open a task folder…',
  'folder.hint': 'The harness’s lm_eval/tasks, or any folder of task files. It is read here, not uploaded.',

  'editor.heading': 'Task file',
  'editor.label': 'Text of {path}',
  'editor.path': 'File name',
  'editor.files': 'Your files',
  'editor.example': 'Begin with an example',
  'editor.choose': 'Open files…',
  'editor.drop': 'Drop YAML, data files or a whole folder of tasks anywhere on this page. The text stays in this tab.',
  'editor.readonly': 'From the list. Edit a copy to change it: your own files stay as they are.',
  'editor.copy': 'Edit a copy',
  'editor.mine': 'Back to your files',
  'editor.ok': 'No problems in this file.',
  'editor.empty': 'Empty. Paste a task file, drop one, or pick a task above.',
  'editor.place': 'Line {line}, column {column}',
  'editor.line': 'Line {line}',
  'editor.noTask': 'These files define no task yet: a task file has a line task: name.',

  'doc.heading': 'What the model is asked',
  'doc.previous': 'Previous doc',
  'doc.next': 'Next doc',
  'doc.number': 'Doc',
  'doc.of': 'of {docs} loaded',
  'doc.fewshot': 'Few-shot examples',
  'doc.fewshotDefault': 'the file’s',
  'doc.template': 'Chat template',
  'doc.tokenizer': 'Tokens of',
  'doc.tokens': 'Token borders',
  'doc.member': 'Task of the group',
  'doc.working': 'Working…',
  'doc.stale': 'This is the state before the error above.',
  'doc.prompt': 'Prompt',
  'doc.promptTokens': '{count} tokens, {characters} characters',
  'doc.characters': '{characters} characters',
  'doc.continuations': 'Continuations that are scored',
  'doc.scored': 'Text that is scored',
  'doc.continuation': 'Continuation',
  'doc.count': 'Tokens',
  'doc.right': 'right',
  'doc.target': 'Target',
  'doc.generate': 'Generated until',
  'doc.row': 'The row',
  'doc.hash': 'prompt_hash',
  'doc.cut': '{count} tokens don’t fit the model’s window and are cut off at the front.',
  'doc.long': 'The first {shown} tokens are left out here.',
  'doc.all': 'Show all',
  'doc.remote': 'Its rows lie on the Hugging Face Hub, in {path}.',
  'doc.load': 'Ask the Hub for rows',
  'doc.missing': 'Data files that it names',
  'doc.there': 'there',
  'doc.absent': 'missing',
  'doc.chooseData': 'Choose data files…',
  'doc.none': 'Nothing to show yet.',
  'doc.context': 'Prompt of choice {number}',

  'lint.heading': 'White space and doubled tokens',
  'lint.none': 'Nothing found in {docs} docs.',
  'lint.docs': '{count} of {docs} docs',
  'lint.strip': 'Strip surplus white space from prompts',
  'lint.stripHint': 'Rewrites doc_to_text, in a form that lm_eval runs too. Prompts and their hashes change, and so may scores.',

  'story.heading': 'Resolved',
  'story.key': 'Key',
  'story.value': 'Value',
  'story.from': 'From',
  'story.group': 'the group',
  'story.functions': 'Python helpers',
  'story.ported': 'has a port here',
  'story.tree': 'Groups and tasks',

  'take.heading': 'Take it along',
  'take.use': 'Use in a run',
  'take.useHint': 'Fills the set-up page in with this task. Nothing starts by itself.',
  'take.command': 'Copy as lm_eval command',
  'take.copied': 'Copied.',
  'take.files': 'Save these files in the folder that --include_path names ({folder}), under these paths:',
  'take.noFiles': 'lm_eval 0.4.13 needs no file for it.',
  'take.copyFile': 'Copy {path}',
  'take.saveFile': 'Save {path}',
  'take.copy': 'Copy',
  'take.save': 'Save',
  'take.config': 'As a file for --config',
  'take.ownKeys':
    'lm_eval refuses these files: {keys} is a key of this page’s own, for what no key of the harness can say. Run the task here.',
  'take.embedded': 'The model is one of this page’s own, which lm_eval can’t load: put another one in its place.',
} as const

type TaskMessage = keyof typeof taskTexts

/** The text of `key`, each `{name}` replaced by its value. */
export function tt(key: TaskMessage, values: Values = {}): string {
  return fill(translated('task', taskTexts)[key], values)
}

/** What a finding of the lint is, and why it matters. */
export function lintText(code: LintCode): { readonly what: string; readonly why: string } {
  return translated('lint', lintTexts)[code]
}

export const lintTexts: { readonly [code in LintCode]: { readonly what: string; readonly why: string } } = {
  'double-space': {
    what: 'Two spaces before the answer',
    why: 'The question ends with white space and the delimiter adds more. Most tokenizers make other tokens of two spaces than of one.',
  },
  'double-space-answer': {
    what: 'Two spaces before the answer',
    why: 'The answer brings a space of its own after a delimiter that has one.',
  },
  'no-space': {
    what: 'The answer touches the question',
    why: 'Neither the delimiter nor the answer has a space: the first token of the answer is another one than within a sentence.',
  },
  'text-trailing-newline': {
    what: 'The answer begins a new line, after a space',
    why: 'The question ends with a line feed (a YAML block “|” adds one; “|-” doesn’t) and the delimiter puts a space after it.',
  },
  'text-trailing-space': {
    what: 'White space at the end of the question',
    why: 'The harness scores it as part of the answer: it moves white space at the end of a prompt to the continuation.',
  },
  'text-leading-space': {
    what: 'White space before the question',
    why: 'It makes another first token, and after few-shot examples it adds to their delimiter.',
  },
  'answer-trailing-space': {
    what: 'White space after an answer',
    why: 'It is scored along with the answer, and counts for its length in acc_norm.',
  },
  'answer-empty': {
    what: 'An empty answer',
    why: 'There is nothing to score but the delimiter.',
  },
  tab: { what: 'A tab', why: 'Tokenizers have tokens of their own for tabs; a model has rarely seen them in prose.' },
  'space-before-newline': {
    what: 'A space before the end of a line',
    why: 'It makes another token of the line’s end. It may be the benchmark’s own wording: then keep it.',
  },
  'inner-spaces': { what: 'Two spaces between words', why: 'It makes other tokens than one space. It may be the benchmark’s own wording.' },
  'blank-lines': { what: 'Several empty lines', why: 'They may look like the border between few-shot examples.' },
  'carriage-return': { what: 'A carriage return', why: 'The file or the data has Windows line ends, which make tokens of their own.' },
  'unusual-space': {
    what: 'A space that is none of the usual ones',
    why: 'A no-break space, a zero-width one or the like: it can’t be seen, and makes rare tokens.',
  },
  'same-choices': { what: 'Two choices are the same', why: 'The first of them is always picked, whichever is right.' },
  'doubled-bos': {
    what: 'Two BOS tokens',
    why: 'The text brings one, and the tokenizer adds another: models answer differently after two.',
  },
  'doubled-template': {
    what: 'A chat template within a chat template',
    why: 'The question has marks of a chat already. Switch the template off, or take the prompt without them.',
  },
}

/** What an empty editor can begin with; its rows come with the page. */
export const exampleTask = `task: my_task
dataset_path: yardstick/bench
dataset_name: facts
test_split: test
fewshot_split: fewshot
output_type: multiple_choice
doc_to_text: "Question: {{question}}\\nAnswer:"
doc_to_choice: choices
doc_to_target: answer
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
`
