/** Numbers that every project has: line numbers, years, sizes. */
const NUMBERS = `
1000-2248 2250-2300 2302-2714 2716-2717 2719-2722 2724-2726 2729-2730 2732-2733 2735-2737 2739-2743 2745-2747
2750-2753 2756-2761 2763-2796 2798 2800 2802-2810 2812-2815 2817-2833 2835 2837-2842 2844-2854 2856 2858-2866
2868-2877 2879-2893 2898-2901 2903-2904 2907 2911-2912 2915 2921-2922 2925 2928 2930-2931 2935-2936 2939-2940 2945
2947 2954 2987 2991 2993 2995 3000-3003 3005-3006 3010 3020-3021 3023-3024 3026 3030-3031 3036-3038 3041 3045 3048
3070-3072 3075 3079-3080 3082 3095 3097-3098 3100-3102 3105 3114 3117 3119-3122 3124 3130 3139-3140 3142-3145 3147
3150 3152 3154 3156 3159 3161 3163-3164 3168-3169 3172 3175 3200 3209-3210 3230-3231 3234 3250 3264-3266 3287 3293
3303 3325 3336 3342 3359 3364 3366-3367 3371 3388 3390 3398 3400 3411 3420 3427 3433 3438 3446 3459 3462 3475 3488
3495 3498 3500 3503 3505 3507 3516 3519 3521-3522 3537 3548 3554 3560 3563 3587-3588 3597 3600 3602-3603 3605
3607-3608 3610 3615-3616 3621-3627 3629-3630 3633-3634 3636 3645 3647 3650 3652-3654 3657-3659 3661-3662 3693 3705
3725-3726 3747-3748 3750 3752 3756 3779 3799 3832 3836 3840 3863 3874 3882 3889 3905 3919 3925 3942 3957 3963-3964
4000 4015 4051 4059 4062 4075 4077 4079 4083-4084 4086 4094-4096 4100 4103 4107 4109-4110 4127 4130-4132 4136 4150
4152 4157-4158 4200 4216-4217 4280 4342 4361 4368 4375 4377 4388 4452 4492 4500 4514 4549 4572 4691 4740 4751 4831
4875 4902 4941 4950 4967 5000 5100 5123 5143 5148 5150 5172 5200 5236 5242 5263-5264 5289 5295 5297 5300 5308 5336
5338 5345 5347 5349-5350 5400 5432 5700 5706 5714 5780 6000 6300 6400 6464 7000 8000 8080 8601 9000 10000 12000 12345
14000 15000 16000 16384 18000 20000 22000 24000 25000 30000 36000 40000 50000 60000 65536 99999-100000 100644 120000
300000 500000 600000 900000 1048576 20250514
`;

/** Names that every project has: of languages, of files, of tools and of the agents' own protocols. */
const NAMES = `
./... ./.entire/logs/entire.log ./.entire/metadata ./README.md ./types .claude/settings.json
.claude/settings.local.json .claude/skills .codex-plugin/plugin.json .entire/.gitignore .entire/logs
.entire/logs/entire.log .entire/settings.json .entire/settings.local.json .git/entire-sessions .git/hooks
.github/workflows .github/workflows/ci.yml /... /.claude/skills //... //127.0.0.1 //claude.com/claude-code
//example.com //github.com //localhost //nolint /abs/path/My /abs/path/app.py /api /apps_instructions /bin /bin/bash
/bin/sh /bin/zsh /button /code /collaboration_mode /command-args /command-message /command-name /current_date /cwd
/data /details /dev/null /diff /dist /div /environment_context /explain /gist_id /head /label /local-command-caveat
/local-command-stdout /other_user /output-file /owner /path /permissions /persisted-output /picture
/plugins_instructions /pre /privacy /repo /review /root /script /search /shell /skills /skills_instructions /span
/status /strong /style /summary /sup /system-reminder /task /task-id /task-notification /timezone /title /tmp
/tool_use_error /turn_aborted /usage /usr/bin /usr/bin/bash /usr/bin/env /usr/local/bin /var /workspace 0000 000000
0000000 00000000 0001 0002 0003 0004 0005 0008 0010 0012 0013 0014 0016 0017 0018 0019 0020 0022 0023 0025 0028 0100
0111 0200 0500 1_000_000 60_000 AGENTS.md AddCommand America/New_York Array.from AskUserQuestion AuthService BoolVar
CHANGELOG.md CI/CD CLAUDE.md CODEX_HOME/skills CODE_OF_CONDUCT.md CONTRIBUTING.md Cargo.toml CommandContext CreatedAt
DESIGN.md DS_Store Date.now EncodeToString EntireSettings ExitPlanMode FETCH_HEAD FileChange GITHUB_TOKEN GIT_EDITOR
GitHub GitLab HTML/CSS/canvas. I/O. IsNotExist JSON.parse JavaScript MarshalIndent Math.ceil Math.floor Math.max
Math.min Math.round Missing/blocked MkdirAll MustCompile NewEncoder Node.js NonNullable OS/Arch Object.keys OpenCode
OutOrStdout PostToolUse PreToolUse Project/My Promise.all README.md ReadFile RegExp RemoveAll Report.md ReturnType
RuntimeError SECURITY.md SKILL.md SVG/Three.js/etc. SVG/vector/code-native SessionEnd SessionStart SessionState
SilenceErrors SilenceUsage SkillName StringVar SyntaxError TaskCreate TempDir TextEncoder Three.js TodoWrite
TokenUsage TrimSpace TurnStart TypeError TypeScript Uint8Array UserPromptSubmit ValueError WebFetch WebSearch
WebSocket WriteFile __dirname __init__ __main__ __name__ __version__ a.id a/.entire/settings.json a/README.md
access_token actions/checkout@v4 add/remove add/rm addEventListener added/modified additionalProperties agentId
agent_type and/or anthropic.com apiKey app.py app.ts appendChild application/json apply_patch apps_instructions arXiv
author.login author_association avatar_url b/.entire/settings.json b/README.md baseRefName base_commit before/after
beige/cream/sand/tan blue/slate bold/italics branch/commit branch/depth brand/product/place/object
brand/product/place/person brown/orange/espresso build/test button/card c.name cache_creation
cache_creation_input_tokens cache_read_input_tokens camelCase card/preview changedFiles checkpoint/session
checkpoint_id chunks.push classList className clearTimeout client_id cmd.Flags codex_apps collaboration_mode
commands/paths/env commit_id completedAt completed_at completion_tokens config.ts configDir conflicted_files
connector_id console.error console.log contentHash createElement created/modified createdAt created_at current_date
darwin/arm64 defaultBranch depends_on desktop/mobile devDependencies diff_hunk displayName display_name duration_ms
duration_seconds e.id encoding/hex encoding/json end_line ended_at endsWith entire.io entire/checkpoints/v1
entireio/cli environment_context ephemeral_1h_input_tokens ephemeral_5m_input_tokens err.Error errors.Is errors.New
events_url example.com exec_command existsSync exit_code f.read f.write file.txt file/line fileContent fileName
filePath filePaths file_path file_system filepath.Dir filepath.Join files_changed files_with_matches folders/files
followers_url following_url forEach getElementById getTime gists_url gitBranch github.com github.com/spf13/cobra
gradient/SVG gravatar_id headRefName homeDir html_url iPhone image.png image/png import.meta in_progress
in_reply_to_id index.html index.js index.ts indexOf inference_geo input_tokens interactive/moving isArray isDraft
isLoading isSidechain is_empty is_error json.dumps json.load json.loads lastError last_error lineCount line_number
list_mcp_resource_templates list_mcp_resources local_bash lockPath macOS/Linux main...origin/main main.go maxRetries
max_tokens mergedAt messageHeadline metadata.json mime_type min/max mise.toml multi_tool_use name/describe
nameWithOwner new_string node_id node_modules objectContaining offer/category old_string onClose onProgress
organizations_url origin/HEAD origin/main origin/main...HEAD original_line os.Stat os.path os/exec output_file
output_tokens owner/name owner/repo package-lock.json package.json parentId parentUuid parseErr parseInt parts.join
pass/fail path/filepath plugin_name plugins_instructions process.env prompt.txt prompt_tokens prompts/responses
pull_request pull_request_review_id purple/purple-blue pyproject.toml querySelector read/write readErr readFileSync
reads/writes received_events_url refresh_token refs/heads refs/heads/main relPath repoPath repoRoot repoUrl repo_root
repos_url request/response requestId request_user_input requirements.txt response.json results.push runGit
run_in_background sandbox_mode sandbox_permissions save/copy save/download/zoom schema_version scriptPath
scripts/foo.py self.value server_tool_use service_tier sessionId session_id setInterval setTimeout settings.json
settings.local site_admin skills_instructions sliders/steppers/inputs snake_case starred_url start/end startLine
startTime start_line start_time startedAt started_at startsWith statusCode stop_reason stop_sequence strategy_options
strings.Count strings.Split subagent_type submitted_at subscriptions_url sync.Mutex sys.argv sys.stdin task_id
task_type tempDir test.ts test.txt testDir test_name testing.T text/media text/plain this.name thread_id time.Now
time.Since time.Time tmpDir toBe toBeDefined toBeGreaterThanOrEqual toBeNull toBeUndefined toContain toEqual
toHaveBeenCalledTimes toHaveLength toLowerCase toggles/checkboxes tokenUsage tool_input tool_name tool_result
tool_search tool_use tool_use_error tool_use_id tool_uses tools/commands tools_search totalTokens total_cost_usd
total_count total_tokens transcript_path tsconfig.json turn_aborted types.go undo/redo updatedAt updated_at useEffect
useState user.email user.login user.name userId userType user_id user_view_type utm_medium utm_source value.trim
vars/code web_fetch_requests web_search_requests writeFile write_text x86_64
`;

/** True for a name that occurs in any project, so that having it in the view says nothing. Pure. */
export function isCommonName(name: string): boolean {
  return COMMON.has(name);
}

const COMMON: ReadonlySet<string> = new Set([...wordsIn(NAMES), ...wordsIn(NUMBERS).flatMap(numbersIn)]);

function wordsIn(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** `1001-1638` is each number from the first to the last. */
function numbersIn(run: string): string[] {
  const [first = 0, last = first] = run.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
}
