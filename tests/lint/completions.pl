#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# bash completes to the options and keys of the tables, and to nothing else. The completion itself
# is asked, not its text.
use strict;
use warnings;
use File::Temp;
use Test::More;

use lib 'tests/lint';
use Lint;

my $completion = 'packaging/completions/confine.bash';

# What the words, the last of them being typed, may become.
sub complete {
    my @words = @_;
    my $script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _confine; printf "%s\n" "${COMPREPLY[@]}"';
    open my $bash, '-|', 'bash', '--norc', '-c', $script, $completion, 'confine', @words or die "bash: $!";
    chomp(my @answers = <$bash>);
    close $bash or die "bash failed for '@words'";
    return join ' ', sort grep { length } @answers;
}

my $directory = File::Temp->newdir;
confine_that_lists($directory);
home_with_policy($directory);

my (@options, @forms, @take_word, @take_none);
my $text = slurp('supervisor/options.def') =~ s{/\*.*?\*/}{}gsr;
while ($text =~ /^OPTION\((?:'(.)'|0), (?:"([\w-]+)"|NULL), (\w+), (\w+),.*?(NULL|"[^"]*")\)\s*$/mg) {
    my ($letter, $name, $rule, $action, $help) = ($1, $2, $3, $4, $5);
    next if $help eq 'NULL'; # refused by name
    if ($action =~ /^(form|no_sandbox)$/) {
        push @forms, defined $letter ? "-$letter" : "--$name";
        next;
    }
    push @options, "-$letter" if defined $letter;
    push @options, "--$name" . ($rule eq 'REQUIRED' ? '=' : '') if defined $name;
    push @{ $rule eq 'REQUIRED' ? \@take_word : \@take_none },
        grep { defined } defined $letter ? "-$letter" : undef, defined $name ? "--$name" : undef;
}
my (@keys, %choices);
$text = slurp('policy/keys.def') =~ s{/\*.*?\*/}{}gsr;
while ($text =~ /^KEY\(\w+, (\w+), \w+, (\w+), (NULL|"[^"]*")/mg) {
    push @keys, "$1=";
    $choices{$1} = join ' ', sort split /\|/, $3 =~ tr/"//dr if $2 eq 'CHOICE';
}
my $options = join ' ', sort @options;

if (system('bash -c : 2>/dev/null') != 0) {
    plan skip_all => 'lacks bash';
}
ok(@options > 20 && @keys > 20 && keys %choices > 3, 'the tables are read');
is(complete('run', '-'), $options, 'the options');
is(complete('-'), join(' ', sort @options, @forms), 'the first word may be a form, too');
is(complete('-q', '-'), join(' ', sort @options, grep { $_ ne '--no-sandbox' } @forms), 'so may a later one, but for --no-sandbox');
is(complete('-c', ''), '', 'code is not completed');
is(complete('-c', 'x', 'Makef'), 'Makefile', 'its arguments may be files');
is(complete('--no-sandbox', 'Makef'), 'Makefile', 'and those of --no-sandbox');
is(complete('Makefile', 'Makef'), 'Makefile', 'and those of a script');
is(complete('run', '-p', ''), join(' ', sort @keys), 'the keys');
is(complete('run', '--property', '=', ''), join(' ', sort @keys), 'the keys, after =');
is(complete('run', '-p', $_, '=', ''), $choices{$_}, "the values of $_") for sort keys %choices;
is(complete('run', $_, 'x', '-'), $options, "$_ takes a word") for @take_word;
is(complete('run', $_, '-'), $options, "$_ takes none") for @take_none;
like(complete(''), qr/^(?=.*\bMakefile\b).*\brun\b/, 'the verb, or a script');
is(complete('ru'), 'run', 'the verb');
is(complete('do'), 'doctor doctor', 'another, here also the name of a directory');
is(complete('doctor', '-'), '--json --system --user', 'whose options are few');
is(complete('kill', '-'), '--all --label= --signal= --system --user', 'the options of kill');
is(complete('kill', 'a', '--signal', '=', 'T'), 'TERM', 'and a signal, behind an id');
is(complete($_, ''), join(' ', @LISTED), "$_ takes the ids of the runs there are") for qw(inspect kill);
is(complete('kill', $LISTED[0], 'b'), $LISTED[1], 'kill takes one more');
is(complete('list', 'Makef'), '', 'list takes no file');
is(complete('policy', ''), 'check keys show trust', 'what policy does');
is(complete('policy', 'trust', 'Makef'), 'Makefile', 'policy trust takes a file');
is(complete('policy', 'check', 'NEWS', 'Makef'), 'Makefile', 'policy check takes files');
like(complete('--policy', '=', 'Makef'), qr/^Makefile\b/, 'so does --policy');
is(complete('--policy', '=', 'of'), 'of-mine', 'or a policy there is');
is(complete('policy', 'show', '-'), $options, 'the options of policy show');
is(complete('policy', 'show', '-p', 'Netw'), 'Network=', 'and its keys');
is(complete('show', 'Makef'), 'Makefile', 'show may be a script');
done_testing();
