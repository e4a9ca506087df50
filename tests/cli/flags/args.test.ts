import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'
import { allFlags } from '../../../src/cli/flags/flags.ts'

const parse = (text: string) => parseCommandLine(text.split(' ').filter((word) => word !== ''))
const problem = (text: string): string => {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  return 'no error'
}

describe('the plain command line', () => {
  it('takes a GGUF file as the harness names it, or as the model itself', () => {
    const wanted = { dtypes: ['m-Q8_0.gguf'], dtypeAsked: 'm-Q8_0.gguf', modelFormat: 'gguf', modelArgs: {} }
    expect(parse('--model hf --model_args pretrained=org/m,gguf_file=m-Q8_0.gguf')).toMatchObject({ ...wanted, model: 'org/m' })
    expect(parse('--model ./some/m-Q8_0.gguf')).toMatchObject({ ...wanted, model: './some/m-Q8_0.gguf' })
    expect(parse('--model hf --model_args pretrained=org/m,gguf_file=m-Q8_0.gguf,dtype=float32').notes).toEqual([
      'dtype float32: a GGUF file runs as it is stored, with its own values; name a repository or folder for --dtype',
    ])
  })

  it('asks for the embedded default with the defaults of the harness', () => {
    expect(parseCommandLine([])).toEqual({
      command: 'run',
      filter: null,
      files: [],
      model: null,
      revision: null,
      dtypes: null,
      dtypeAsked: null,
      modelFormat: null,
      modelArgs: {},
      device: 'auto',
      scoring: 'fast',
      tasks: [],
      includePath: null,
      allowOutside: false,
      numFewshot: null,
      limit: null,
      samples: null,
      applyChatTemplate: false,
      fewshotAsMultiturn: null,
      systemInstruction: null,
      genKwargs: {},
      seeds: { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 },
      metadata: {},
      predictOnly: false,
      logSamples: true,
      outputPath: null,
      writeOut: false,
      showConfig: false,
      hub: null,
      hubToken: false,
      resume: false,
      useCache: true,
      unsafeWebgpu: false,
      keepsPacked: false,
      noiseItems: null,
      secondOpinion: null,
      measuresSpeed: false,
      shard: null,
      parallelism: { tensor: 1, data: 1 },
      fan: { styles: ['continuation', 'letters', 'hybrid'], chat: 'auto', wordings: 'auto' },
      judge: null,
      json: false,
      embedded: false,
      details: false,
      notes: [],
    })
  })

  it('names no flag and no short form twice', () => {
    const names = allFlags.flatMap((flag) => [flag.name, ...(flag.short === undefined ? [] : [flag.short])])
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('spellings', () => {
  it.each([
    '--tasks arc_easy,sciq',
    '--tasks=arc_easy,sciq',
    '-t arc_easy,sciq',
    '--tasks arc_easy sciq',
    '-t arc_easy --tasks sciq',
    '-tarc_easy,sciq',
  ])('reads the tasks of %s', (text) => {
    expect(parse(text).tasks).toEqual(['arc_easy', 'sciq'])
  })

  it('reads the short forms of the harness', () => {
    const line = parse('-M org/m -a max_length=512 -t sciq -L 10 -f 5 -o out -s -w -x -b 8 -c db -v INFO')
    expect(line).toMatchObject({
      model: 'org/m',
      modelArgs: { max_length: 512 },
      tasks: ['sciq'],
      limit: 10,
      numFewshot: 5,
      outputPath: 'out',
      logSamples: true,
      writeOut: true,
      predictOnly: true,
    })
  })

  it.each([
    ['--apply_chat_template', true],
    ['--apply_chat_template true', true],
    ['--apply_chat_template=True', true],
    ['--apply_chat_template false', false],
    ['--apply_chat_template default', 'default'],
    ['--apply_chat_template --tasks a', true],
    ['', false],
  ])('%s means %s', (text, expected) => {
    expect(parse(text).applyChatTemplate).toBe(expected)
  })

  it('lets a switch be followed by another flag, true or false', () => {
    expect(parse('--no_cache --json false --show_config true')).toMatchObject({ useCache: false, json: false, showConfig: true })
    expect(parse('--log_samples false').logSamples).toBe(false)
    expect(parse('--log_samples false --predict_only').logSamples).toBe(true)
  })

  it('keeps a minus in a value', () => {
    expect(parse('--seed -1').seeds.random).toBe(-1)
    expect(parseCommandLine(['--system_instruction', '- be brief']).systemInstruction).toBe('- be brief')
  })
})

describe('a pasted harness command', () => {
  it('takes the model, revision and dtype out of the model arguments', () => {
    const line = parse(
      'run --model hf --model_args pretrained=org/m,revision=step-1,dtype=bfloat16,add_bos_token=True,parallelize=True --tasks sciq --device cuda:0 --batch_size auto:4 --trust_remote_code',
    )
    expect(line).toMatchObject({
      command: 'run',
      model: 'org/m',
      revision: 'step-1',
      dtypes: ['fp32', 'fp16'],
      dtypeAsked: 'bfloat16',
      modelArgs: { add_bos_token: true },
      device: 'auto',
    })
    expect(line.notes.join('\n')).toMatch(/--batch_size[^]*--trust_remote_code[^]*parallelize[^]*--device cuda:0/)
  })

  it('reads vLLM names', () => {
    expect(parse('--model vllm --model_args pretrained=org/m,max_model_len=2048,gpu_memory_utilization=0.8')).toMatchObject({
      model: 'org/m',
      modelArgs: { max_length: 2048 },
    })
  })

  it('prefers the flag and says so when a value is given twice', () => {
    const line = parse('--model org/m --dtype q4 --model_args dtype=float32')
    expect(line.dtypes).toEqual(['q4'])
    expect(line.notes).toEqual(['--dtype q4 wins over dtype=float32 in --model_args'])
  })

  it.each([
    ['float32', ['fp32']],
    ['torch.float16', ['fp16', 'fp32']],
    ['auto', null],
    ['q4f16', ['q4f16']],
  ])('maps dtype %s to %s', (asked, expected) => {
    expect(parse(`--dtype ${asked}`).dtypes).toEqual(expected)
  })
})

describe('the form of the weights', () => {
  it('is one that there is, and nobody’s choice by default', () => {
    expect([parse('').modelFormat, parse('--model_format safetensors').modelFormat]).toEqual([null, 'safetensors'])
    expect(() => parse('--model_format pickle')).toThrow(/--model_format: wanted onnx or safetensors/)
  })
})

describe('attn_implementation', () => {
  it.each([
    ['sdpa', {}, ''],
    ['eager', { attn_implementation: 'eager' }, ''],
    ['flash_attention_2', { attn_implementation: 'eager' }, 'attn_implementation flash_attention_2 is computed as eager'],
    ['kernels-community/flash-attn', {}, 'ignored: model argument attn_implementation="kernels-community/flash-attn"'],
  ])('%s', (value, modelArgs, note) => {
    const line = parse(`--model org/m --model_args attn_implementation=${value}`)
    expect(line.modelArgs).toEqual(modelArgs)
    expect(line.notes.join('\n')).toContain(note)
    expect(line.notes.length).toBe(note === '' ? 0 : 1)
  })
})

describe('dictionaries', () => {
  // Expected values printed by lm_eval 0.4.13, `_cli.utils.key_val_to_dict`.
  it.each([
    ['temperature=0,do_sample=False', { temperature: 0, do_sample: false }],
    ['until=["a,b","c"],max_gen_toks=8', { until: ['a,b', 'c'], max_gen_toks: 8 }],
    ["x='1',y=1e-3,z=None,w=-2", { x: '1', y: 0.001, z: null, w: -2 }],
    ['a=b=c', { a: 'b=c' }],
    ['a=org/name-1,b=(1, 2)', { a: 'org/name-1', b: [1, 2] }],
    ["a={'k': True}", { a: { k: true } }],
    ['{"stop": ["\\n"], "n": 1}', { stop: ['\n'], n: 1 }],
  ])('reads %s', (text, expected) => {
    expect(parseCommandLine(['--gen_kwargs', text]).genKwargs).toEqual(expected)
  })

  it('merges values given one by one', () => {
    expect(parse('--gen_kwargs a=1 b=2 --gen_kwargs b=3').genKwargs).toEqual({ a: 1, b: 3 })
  })

  it('keeps __proto__ as data', () => {
    const { genKwargs } = parseCommandLine(['--gen_kwargs', '__proto__=1'])
    expect(Object.keys(genKwargs)).toEqual(['__proto__'])
  })
})

describe('seeds', () => {
  it.each([
    ['7', [7, 7, 7, 7]],
    ['1,2,3,4', [1, 2, 3, 4]],
    ['1,2,3', [1, 2, 3, 1234]],
    ['5,None,8,52', [5, 1234, 8, 52]],
  ])('reads %s', (text, [random, numpy, torch, fewshot]) => {
    expect(parse(`--seed ${text}`).seeds).toEqual({ random, numpy, torch, fewshot })
  })

  it('says that None is not followed', () => {
    expect(parse('--seed None').notes[0]).toContain('--seed None')
  })
})

describe('sub-commands', () => {
  it.each([
    ['tasks arc', 'tasks', 'arc'],
    ['tasks', 'tasks', null],
    ['--tasks list', 'tasks', null],
    ['models --embedded --json', 'models', null],
    ['prompts --tasks sciq', 'prompts', null],
    ['judge', 'judge', null],
    ['run --help', 'help', null],
    ['-h', 'help', null],
  ])('%s', (text, command, filter) => {
    expect(parse(text)).toMatchObject({ command, filter })
  })
})

describe('refusals say what was wanted', () => {
  it.each([
    ['--task sciq', '--task is no flag of this command line; did you mean --tasks'],
    ['--num-fewshot 5', 'did you mean --num_fewshot?'],
    ['taks', '"taks" is no sub-command; did you mean tasks?'],
    ['-q', '-q is no flag'],
    ['--limit', '--limit needs a value'],
    ['--limit -3', 'above 0'],
    ['--limit ten', 'found "ten"'],
    ['--num_fewshot 1.5', 'whole number'],
    ['--device gpu', 'wanted auto or webgpu or wasm, found "gpu"'],
    ['--scoring slow', 'wanted reference or fast'],
    ['--json=maybe', 'wanted true or false'],
    ['--limit 5 --samples {}', 'give one of them'],
    ['--fewshot_as_multiturn', 'needs --apply_chat_template'],
    ['--model hf', 'pretrained=ID'],
    ['--model local-completions --model_args model=x', 'runs elsewhere'],
    ['--model a/b --model_args pretrained=c/d', 'two models'],
    ['--model hf --model_args pretrained=org/m,gguf_file=m.bin', 'wanted the name of a .gguf file'],
    ['--model ./m.gguf --model_args gguf_file=n.gguf', 'two GGUF files'],
    ['--model ./m.gguf --model_format onnx', 'don’t go together'],
    ['--model ./m.gguf --dtype Q8_0,Q4_0', 'one dtype'],
    ['--model_args max_lenght=5', 'did you mean max_length?'],
    ['--gen_kwargs temperature', 'expected key=value'],
    ["--gen_kwargs {'a':1}", 'JSON object'],
    ['--hub huggingface', 'http or https'],
    ['--seed 1,2', 'found 2'],
    ['--seed x', 'found "x"'],
    ['models extra', '"extra" belongs to no flag'],
    ['--embedded extra', '"extra" belongs to no flag'],
    ['--config run.yaml', '--config is no flag'],
  ])('%s', (text, expected) => {
    expect(problem(text)).toContain(expected)
  })
})

describe('a judge', () => {
  it('is read with what goes with it', () => {
    expect(parse('--judge_model org/large').judge).toEqual({
      model: 'org/large',
      revision: 'main',
      dtype: null,
      ggufFile: null,
      template: null,
      by: 'text',
      chatTemplate: 'auto',
      texts: { filter: null, prediction: 'none', gold: 'none' },
      address: null,
    })
    expect(
      parse(
        'judge 17 --judge_model m --judge_by loglikelihood --judge_postprocess boxed --judge_gold_postprocess number --judge_chat_template false',
      ),
    ).toMatchObject({
      command: 'judge',
      files: ['17'],
      judge: { by: 'loglikelihood', chatTemplate: false, texts: { prediction: 'boxed', gold: 'number' } },
    })
  })

  it('may be a GGUF file; on a server such a name is one like any other', () => {
    expect(parse('--judge_model models/judge.Q8_0.gguf').judge).toMatchObject({
      model: 'models/judge.Q8_0.gguf',
      ggufFile: 'judge.Q8_0.gguf',
    })
    expect(parse('--judge_model judge.gguf --judge_address http://localhost:1/v1').judge).toMatchObject({ ggufFile: null })
  })

  it.each([
    ['--judge_model judge.gguf --judge_dtype q4', '--judge_dtype q4: the GGUF file judge.gguf runs as it is stored'],
    ['--judge_by text', '--judge_by needs --judge_model'],
    ['--judge_model m --judge_by votes', '--judge_by: wanted one of text, loglikelihood, found "votes"'],
    ['--judge_model m --judge_gold_postprocess filtered', 'wanted one of none, boxed, number, letter, last-line'],
    ['--judge_model m --judge_address file:///etc', 'wanted an http or https address'],
    ['--judge_model m --judge_address http://localhost:1 --judge_by loglikelihood', 'needs a judge that runs here'],
  ])('%j: %s', (typed, message) => {
    expect(problem(typed)).toContain(message)
  })
})
