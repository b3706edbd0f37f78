import type { Language } from '../language.ts';

export const english: Language = {
  signals: {
    rule: [
      `never|always|must|have to|has to|do not|not allowed|not supposed to|from now on|going forward|from today
      |make sure|be sure to|at all times|every time|off limits|hands off|stay away from|steer clear|leave .. alone
      |leave .. untouched|leave .. in place|leave .. as|forbidden|mandatory|prohibited|no exceptions|without exception
      |is required|are required|ask me|ask first|check with me|without asking|unless i|unless we|unless you|may only
      |may not|nobody may|rule :|the rule is|keep in mind|remember to|remember that|stop using|stop adding|stop doing
      |avoid|refrain from|be careful|whenever|should only|can only be|only ever|nothing may|whatever you do
      |before every|before each|before any|after every|after each|in every|for every|confidential|treat .. as
      |it is important|important that|only use|use only|not permitted|at least two|does not count|we can not
      |no need to|strictly|leave it|frozen|may edit|no changes|in this order|as of now|effective immediately|under no
      |be aware|watch out|restricted|read-only|not want to see|only the|exclusively|in all cases|absolutely
      |at any cost|no matter|regardless|until i say|until further notice|my approval|sign off`,
      `only|should|shall|need to|needs to|ensure|without|keep|stay|stays|require*|every|please|except|at most|at least
      |by default|allowed|policy|convention|approval|permission|critical|strict*|shared with|each time|first :
      |goes through|go through|crucial|essential`,
    ],
    correction: [
      `^no ,|^nope|^nah|^wrong|^not quite|^not the|^close ,|is wrong|are wrong|not right|incorrect|not correct
      |not what i|misunderst*|misread|i meant|what i mean|i did not ask|i did not say|i never said|i asked for|i said
      |i told you|i wanted|supposed to|should have been|why did you|undo|revert that|put .. back|take .. back
      |correction :|i was wrong|my mistake|scratch that|let me correct|mixed up|mixing up|confusing|the other way
      |you forgot|you missed|it should be|you edited|you used|the wrong|not like that|^hold on|^wait|mistaken
      |is not true|contrary to|i take that back|sorry ,|you changed|not for me|and not|but not|this is not|that is not
      |these are not|we are on|wrong way|is not the|talking about|mistyped|you keep|hmm no|no no|should be gone
      |should stay|not about|did you mean|i think you|the one that|let me clarify|as mentioned|please revert|roll back
      |too far`,
      `actually|, not|not .. but|^but|wrong|instead|rather|mistake|^no|right one|correct one|the correct|should be|^not
      |clarif*|to be clear|in fact|typo|mislead*`,
    ],
    preference: [
      `prefer*|would rather|i would like|we would like|i like|i love|i hate|i dislike|do not like|a fan|big fan|favour*
      |favor*|ideally|if possible|where possible|wherever possible|when possible|in doubt|default to|lean towards
      |i want|we want|i do not want|we do not want|would be nice|would be better|nicer|happier|happy with|care about
      |care much|matters more|taste|i find|rather have|i usually|we usually|i tend to|we tend to|please use
      |please keep|fond of|keep it|feel free to|fine for me|enjoy|comfortable with|easier to read|short answers
      |, please|spelling|wish|given the choice|more comfortable|could we use|i am happy|the simpler|the less
      |i appreciate|would appreciate`,
      `better|rather|i think|i would|easier|like|want|please|style|should|maybe|something|fewer|shorter|not too|more
      |cleaner|as long as`,
    ],
    decision: [
      `decid*|decision|going with|go with|went with|go for|went for|opt for|opted|chose|choose|choosing|chosen|picked
      |my pick|settled|settle on|sticking with|sticking to|stick with|stick to|rather than|instead of|instead ,
      |, instead|in favour of|in favor of|in place of|our plan|my plan|plan :|we will|i will use|i will keep
      |i will leave|i will follow|will be done|let's use|let's keep|let's make|let's do|let's drop|let's stick
      |let's stay|let's skip|let's not|switch to|switched to|switching to|switching from|moved to|moving to|migrat* to
      |keep using|kept|i am keeping|more sense|best option|better option|cleanest|safest|simplest|trade-off|tradeoff
      |conclusion|so i will|ditch*|abandon*|scrap*|ruled out|rule out|not going to|not adding|recommend*|by design
      |on purpose|deliberate*|intentional*|i left|we left|i made|i am leaving|i am putting|i am treating|i am using
      |we are using|we are building|replaced .. with|replace .. with|replacing .. with|swapped|swap .. for|drop .. for
      |dropped|dropping|the approach|approach :|the idea is|my choice|verdict|landed on|ended up|way to go|worth it
      |not worth|better to|simpler to|easier to|safer to|get rid of|from here on|in the end|wins over|beats|stays with
      |stays as|stay compatible|final design|final :|call was|team's call|freeze|the name will|no longer use
      |is what we|we take|we keep|better off|ruling .. out|is out ,|safer bet|back and forth|resolved to|as discussed
      |replaces|weighed|then :|no need for|stop using|move away from|phase out|leaving .. as|leave .. as is
      |leave .. as it is|thin wrapper|stay on|staying with|stays on|commit to|committed to|signed off|preferred
      |to keep .. small|to keep .. simple|to stay|makes sense to|i would use|i would keep|i would go|i suggest
      |suggest using|proposal|propose*|adopt*|made up my mind|i am against|gets the nod|source of truth`,
      `instead|rather|than|will|better|approach|option*|plan|over|keep|keeping|replac*|split|strategy|design|solution
      |simpler|cleaner|safer|cheaper|single|enough|so|choice|for the|the former|the latter|skip the|skipping|the call
      |reuse|reusing|suggested|agreed`,
    ],
    cause: [
      `because|cause|caused by|causes|causing|turns out|turned out|explains|explain why|is why|why it|due to|owing to
      |culprit|stems from|comes from|come from|came from|coming from|comes down to|boils down to|traced|the issue is
      |the issue was|issue :|the problem is|the problem was|problem :|bug :|as a result|leads to|led to|results in
      |resulted in|resulting in|hence|therefore|thus|consequently|consequence of|underlying|found it|found the issue
      |figured out|real problem|real issue|actual problem|actual issue|actual bug|triggered by|happens when|happens if
      |only happens|fails when|breaks when|fails on|breaks on|a race|race between|race condition|the trouble is
      |the catch|was never|is never|were never|never got|never gets|never stops|never removed|never closed|overwrit*
      |shadows|collid*|clash*|deadlock*|leaks|leak is|mismatch*|out of sync|no wonder|which breaks|which broke
      |which makes|which means|the fault|behind the|given that|seeing that|all along|so that is|off-by-one
      |that is where|still points|stalls|got slow|whenever|so nothing|so the|so it|so they|so every|, as the|, as it
      |, as we|, as they|since the|since it|since we|since they|since every|lacks|strips|swallow*|deduplicate
      |locked after|got it :|nothing is wrong|changed the|goes back to|introduced by|introduced in|trips|tripped|blame
      |the bug|why :|arises|originates|rooted in|the source of|source of the|behind it|what breaks|what makes|reasons
      |disagree*|that is what|this is what|aha|see now why|digging|thread-safe|holds the lock|undefined until
      |not reach|never called|not called|never sees|is shared|share the same|shares a|shares the|same key|kicks in
      |gets lost|gets dropped|faulty|misconfigur*|typo in|bug in|regression in|wrong order|out of order|diagnos*
      |hidden in`,
      `since|so|trigger*|conflict*|missing|wrong|problem|issue|bug|why|when|race|leak*|unless|without|too early
      |too late|expects|assum*|means|prevent*|skips|misses|ignores|apparently|limited|stale|happened|reason
      |before .. is|until|responsible for|twice|silently|falls back to|fall back to`,
    ],
    failed: [
      `not work|not working|no luck|no dice|no change|dead end|revert*|rolled back|roll back|backed out|undid|undone
      |had to undo|took it out|gave up|give up|giving up|still fail*|still not|still crash*|still hang*|still happen*
      |still there|same error|keeps failing|broke|breaks|broken|tried|to no avail|not help|no effect|worse|in vain
      |hit a wall|no good|could not|unable to|impossible|crashes|crashed|timed out|times out|hangs|hung|suites hang
      |refused|refuses|blows up|blew up|not an option|does not support|not supported|unsupported|no way to
      |no way around|without success|unsuccessful*|nothing changed|no difference|not viable|not feasible|not compile
      |no longer compiles|not build|falls over|falls apart|not enough|not fix|not solve|not resolve|neither .. nor
      |rules out|stuck|no go|caused a regression|waste of time|wasted|bail* out|threw .. away|not reproduce
      |do not bother|nowhere|useless|pointless|inconclusive|off the table|out of memory|slower|mangles|corrupts
      |corrupt the|moved the problem|ignored in|never arrives|does not exist|has no|had no|prefers a|square one
      |went red|rolled it back|is out ,|blew through|ineffective|third try|same stack|stack trace|blind alley
      |lost a day|spent .. on|produced garbage|discarded|so no|high hopes|never worked|does nothing|did nothing
      |nothing happens|not changed|not change|not a solution|no improvement|went wrong|not possible|can not recommend
      |can not get|not get .. to|fails with|failed with|errors out|error out|segfault*|infinite loop|runs out of
      |ran out of|not hold|not scale|overkill|aborted|abandoned|unusable|unreliable`,
      `fails|failed|failing|failure|error*|try|trying|crash*|timeout|but|however|unfortunately|exception|denied|lost
      |unstable|hang|panic*|regress*|either|flak*|too|attempt*|will not|does not|did not|is not|are not|was not
      |rejected|can not|garbage|barely|cancel*`,
    ],
    finding: [
      `note that|note :|note to self|notably|important :|important to note|insight|key point|interesting|surprising*
      |surprise|measured|on average|found that|discovered|learned|confirmed|confirms|verified that|shows that
      |indicates|means that|the value|is set to|was set to|equals|defaults to|the default|lives in|live in|located in
      |located at|is defined in|are defined in|is kept|are kept|points to|belongs to|belong to|depends on|gotcha
      |caveat|warning :|beware|heads up|lesson|for reference|undocumented|answer :|result :|are called|is named
      |there is no|there are no|not used by|nobody uses|not the one|not the same|is actually|are actually|in fact
      |in reality|worth knowing|worth noting|worth remembering|good to know|tl;dr|unlike|whereas|as opposed to
      |the difference|differs|read-only|case-sensitive|sensitive to|went from|down from|up from|dropped from
      |dropped to|faster|twice as|times as|half the|percent|per cent|p95|p99|of which|weighs|caps at|capped at
      |limited to|limit is|real limit|is the only|accepts only|only accepts|only the|takes precedence|deprecated
      |was removed in|renamed|observed|proves|correlation|suggests|ignores the|is ignored|already has|already in
      |already have|runs until|valid until|expires|is read from|, not|it is .. not|, the docs|rely on|relies on
      |counts from|per hour|an hour|per minute|per second|duplicates|on ci|different split|are affected|is affected
      |retried|noticed|outdated|out of date|these days|correct spelling|or newer|or later|or older|at minimum
      |under two names|the same as|identical to|same table|overrides|slower than|larger than|smaller than|fewer than
      |higher than|lower than|compared to|compared with|versus|charges|have no|has no|without a|no match|left the
      |wants .. while|the id of|id :|ids are|is valid|only valid|only supports|only works|is stored|are stored
      |is configured|configured in|listens on|runs on|running on|is served|is limited|timeout is|sit in|resides
      |stays at|totals|accounts for|corresponds to|maps to|translates to|is equivalent|it appears that|i saw|tells us`,
      `actually|actual|apparently|probably|likely|already|currently|seems|appears|shows|found|only|real|exactly
      |benchmark*|measur*|evidence|baseline|average|significant*|up to|between|nobody|anyone|each|while|than|although
      |though|newer|older|same|or so|around|about|exists|spelling|typo|locally|the answer|is called|is loaded
      |are loaded|is generated|are generated|is computed|works with|sample|median|reveals|revealed|rate limit|quota
      |throughput|according to|the docs`,
    ],
    fact: [
      `by the way|btw|fyi|for context|for your information|in case you|so you know|my name|the customer|customer since
      |account number|order number|phone number|deadline|is owned by|was written by|was collected|nobody knows|we run
      |we are on|i work|i live|i paid|my colleague|is hosted|hosted on|the password|address :|the address|the budget
      |stands for|stands in|in charge|contact|allergic|is on leave|for what it is worth|fwiw|was forked|contract ends
      |is run by|login is|customer id|based in|headquarter*|founded|i am a|we ship|the repo is|the server is|the owner
      |born|lives in|works for|reports to|married|opened on|available from|valid until|was introduced|was built|our
      |is .. by`,
      `my|their|his|her|she|he|called|number|version|i have|i am on|since|located|ticket|starts|mostly|production
      |staging|named|the client|we have`,
    ],
    open: [
      `still need*|still have to|still has to|still missing|still open|still pending|todo|to-do :|fixme|tbd|come back
      |get back to|call back|circle back|revisit*|for now|for the moment|at the moment|for the time being|stub|stubbed
      |stubs|not yet|not .. yet|yet to|next step*|next up|what remains|what is left|left for|for later|later on
      |follow-up|postpone*|defer*|parked|punt*|shelve*|blocked on|blocked until|waiting for|waiting on|outstanding
      |unresolved|unanswered|open question*|temporar*|placeholder|hardcoded|hard-coded|not implemented|unimplemented
      |no-op|remains to|unfinished|not done|wip|work in progress|to be done|to be decided|will need to|will have to
      |has to go|out of scope|separate pr|another day|tomorrow|next week|next time|do not forget|remind me|untested
      |not tested|unverified|unclear|not sure|unsure|do not know|someone should|somebody should|someone has to
      |eventually|once the|once .. is|once .. are|until the|until .. is|after the release|after the merge
      |before launch|before this|in the future|at some point|worth checking|loose end*|unaddressed|not covered
      |on my list|backlog|not handled|workaround|commented out|mocked|faked|dummy|have yet|awaiting
      |need to double-check|double-check the|not looked at|is next|are next|approval from|at present|till|has to wait
      |comes first|haven't had|half finished|last piece|the missing piece|not touched|untouched|owe|not replied
      |we can drop|should be removed|to be removed|fixed value|needs a|needs work|needs fixing|need to fix|to decide
      |undecided|still in progress|left over|next release|next session|second pass|future work|long term|on hold
      |hold off|to be confirmed|remains open|remaining tasks|not finished|not complete|needs .. test*`,
      `later|yet|missing|next|remain*|should|need*|until|wait*|skip*|open|question|incomplete|maybe|investigate|gap
      |disabled|leftover|soon|still|pending|is left|someone|once|clean up|blocked|so far|partly|partially`,
    ],
  },
  verbs: `is|are|was|were|has|have|had|takes|took|returns|returned|uses|used|contains|lives|expects|requires|needs|supports
    |goes|go|runs|run|stores|reads|writes|sends|receives|accepts|rejects|shares|exists|does|did|costs|sits|gets|keeps
    |holds|owns|serves|handles|maps|ships|comes|counts|starts|ends|expires|stays|works|matches|ignores|covers|adds
    |drops|makes|made|gives|calls|fires|hits|carries|reports|lacks|wants|breaks|stops|removes|trusts|trust|carry
    |accept|return|will|would|can|may|should|must|just|also|use|need|take|contain|live|expect|depend|depends|fail
    |fails|wins|lost|charges|replaces|blocks|says|means|sets|sit`,
  progress: `^let me|, let me|: let me|now let me|and let me|so let me|but let me|also let me|^let's|^let us|^i will|^i am
    |^i have|^i need to|^i should|^i want to|^i can|^i could|^i would|^i see|^i added|^i updated|^i created|^i also
    |^we can|^we need to check|^we are now|^to do this|^now|^first ,|^first i|^first let's|^next|^then i|^then we
    |^finally|^running|^checking|^reading|^looking|^searching|^updating|^adding|^committing|^pushing|^starting
    |^continuing|^moving on|^waiting for the|^waiting for it|one moment|^verifying|^installing|^opening|^creating
    |^writing|^fixing|^renaming|^removing|^still waiting|^still active|^here is|^here are|^here we|^done|^all tests
    |^all checks|^tests|^great|^perfect|^good|^excellent|^nice|^ok|^okay|^alright|^sure|^thank*|^yes|^hello|^hi
    |^welcome|^please hold|^just a|^if you|^feel free|^would you|^do you want|^shall i|^should i|^ready|^time to
    |^thought :|^step|^added|^updated|^created|^implemented|^removed|^refactored|^committed|^pushed|^summary
    |^in summary|i will now|all green|tests pass|tests passed|is clean|is green|are green|no errors|no issues
    |no problems|everything works|looks good|look good|as expected|working correctly|is complete|is done|successfully
    |what changed|files changed|happy to help|anything else|can help|is ready|is running|has loaded|in parallel
    |one by one|now have|have located|progress so far|i will check|i will run|i will look|i am checking|i am running
    |i am waiting|still running`,
  smallTalk: `ok|okay|thanks|thank you|thx|ty|yes|yep|yeah|yup|sure|great|perfect|cool|nice|awesome|good|go on|go ahead|continue
    |proceed|keep going|carry on|lgtm|do it|next|hi|hello|hey|alright|got it|i see|understood|right|exactly|correct
    |please|bye|no problem|you are welcome|ready|done|fine|hmm|lol|wow`,
  abbreviations: `e.g|i.e|eg|ie|etc|vs|approx|ca|cf|mr|mrs|ms|dr|prof|st|no|fig|eq|sec|ch|pp|vol|ed|al|inc|ltd|co|resp|incl|max|min
    |dept|est|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|u.s|a.m|p.m`,
};
